"""Limited-memory quasi-Newton."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.optimizers.base import Fitted, Floats, limits_for, optimizers
from tunesmith.tuning.regularizers.base import Regularizer
from tunesmith.tuning.regularizers.weighted import Weighted
from tunesmith.tuning.start_weights import checked_start


@optimizers.register("lbfgs")
@dataclass(frozen=True)
class Lbfgs:
    """L-BFGS-B (Byrd et al. 1995, scipy's) for smooth objectives; fixed and bounded weights are exact.

    iterations: the most iterations. Few of them from zero are a regularizer of their own (early stopping).
    tol: stop when no component of the projected gradient is larger.
    memory: corrections kept.
    from_zero: begin at 0 instead of at the start weights (fixed and bounded ones as near to it as they may).
    """

    needs: ClassVar[frozenset[str]] = frozenset({"value_and_grad"})
    regularizer_needs: ClassVar[frozenset[str] | None] = frozenset({"value_and_grad"})

    iterations: int = 200
    tol: float = 1e-5
    memory: int = 10
    from_zero: bool = False

    def __post_init__(self) -> None:
        if self.iterations < 1 or self.memory < 1:
            raise ConfigError(f"iterations = {self.iterations}, memory = {self.memory}: at least 1 was expected")
        if not 0 <= self.tol < math.inf:
            raise ConfigError(f"tol = {self.tol}: a number of at least 0 was expected")

    def minimize(
        self,
        objective: Any,
        regularizer: Regularizer | None,
        start: Floats,
        *,
        seed: int,
        constraints: Constraints | None = None,
        threads: int = 1,
    ) -> Fitted:
        """Nothing is random here."""
        from scipy.optimize import minimize

        weights = checked_start(objective, start)
        limits = limits_for(objective, constraints, weights)
        penalty = None if regularizer is None else Weighted(regularizer, limits.factors)

        def value_and_grad(w: Floats) -> tuple[float, Floats]:
            value, gradient = objective.value_and_grad(w, threads=threads)
            if penalty is not None:
                more, slope = penalty.value_and_grad(w)
                value, gradient = value + more, gradient + slope
            return value, gradient

        begin = limits.clip(np.zeros_like(weights) if self.from_zero else weights)
        bounds = np.column_stack([limits.lower, limits.upper]) if limits.bounded else None
        options = {"maxiter": self.iterations, "maxcor": self.memory, "gtol": self.tol, "ftol": 1e-12}
        found = minimize(value_and_grad, begin, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        details = {"iterations": float(found.nit), "evaluations": float(found.nfev)}
        return Fitted(np.asarray(found.x, dtype=np.float64), float(found.fun), details)
