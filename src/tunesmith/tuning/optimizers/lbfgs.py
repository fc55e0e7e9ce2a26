"""Limited-memory quasi-Newton."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from tunesmith.checks import at_least, finite
from tunesmith.errors import ConfigError
from tunesmith.tuning.capabilities import missing
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.objectives import Curved, Objective, PartlyFlat, Smooth
from tunesmith.tuning.optimizers.base import BatchOptimizer, Floats, OptimizerState, Problem, optimizers
from tunesmith.tuning.regularizers.base import Differentiable, Penalty, Quadratic
from tunesmith.tuning.regularizers.weighted import Weighted


@optimizers.register("lbfgs")
@dataclass(frozen=True)
class Lbfgs(BatchOptimizer[Smooth, Differentiable]):
    """L-BFGS-B (Byrd et al. 1995, scipy's) for smooth objectives; fixed and bounded weights are exact.

    iterations: the most iterations. A few iterations from zero act as a regularizer (early stopping).
    tol: stop when no component of the projected gradient is larger.
    memory: corrections kept.
    from_zero: begin at 0 instead of at the start weights (fixed and bounded ones as near to it as they may).
    scaled: measure each weight by the curvature of the objective in it, for losses that know it. Dense features
        and rare ones differ by a thousand times in that, which costs hundreds of iterations. `tol` is then of the
        slopes in these units.
    """

    objective: ClassVar[type] = Smooth
    penalties: ClassVar[tuple[type, ...]] = (Differentiable,)

    iterations: int = 200
    tol: float = 1e-5
    memory: int = 10
    from_zero: bool = False
    scaled: bool = False

    def __post_init__(self) -> None:
        at_least(1, iterations=self.iterations, memory=self.memory)
        at_least(0, tol=self.tol)
        finite(tol=self.tol)

    def check(self, loss: Loss[Any, Any] | None, penalty: Penalty | None, limits: Limits | None) -> None:
        """Refuse losses without the curvature that `scaled` needs, and limits that the penalty cannot keep."""
        if self.scaled and loss is not None and missing(loss.objective, Curved, Objective):
            self._refuse(type(loss))
        if limits is not None and penalty is not None:
            Weighted(penalty, limits.factors)

    def _refuse(self, uncurved: type) -> NoReturn:
        raise ConfigError(
            f"scaled=true is for losses of pairs (pairwise_ranking), which know their curvature, not for "
            f"{uncurved.__name__}"
        )

    def solve(self, problem: Problem[Smooth, Differentiable], start: Floats) -> OptimizerState:
        from scipy.optimize import minimize

        objective, limits, threads = problem.objective, problem.limits, problem.threads
        fitted = limits.clip(np.zeros_like(start) if self.from_zero else start)
        moving = _moving(objective, problem.penalty, fitted)
        penalty = None if problem.penalty is None else Weighted(problem.penalty, limits.factors[moving])
        units = np.ones(len(moving))
        if self.scaled:
            if not isinstance(objective, Curved):
                self._refuse(type(objective))
            units = _units(objective, problem.penalty, limits.factors, threads)[moving]

        def value_and_grad(z: Floats) -> tuple[float, Floats]:
            w = z * units
            fitted[moving] = w
            value, gradient = objective.value_and_grad(fitted, threads=threads)
            gradient = gradient[moving]
            if penalty is not None:
                more, slope = penalty.value_and_grad(w)
                value, gradient = value + more, gradient + slope
            return value, gradient * units

        begin = fitted[moving] / units
        bounds = np.column_stack([limits.lower, limits.upper])[moving] / units[:, None] if limits.bounded else None
        options = {"maxiter": self.iterations, "maxcor": self.memory, "gtol": self.tol, "ftol": 1e-12}
        found = minimize(value_and_grad, begin, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        details = {"iterations": float(found.nit), "evaluations": float(found.nfev)}
        fitted[moving] = found.x * units
        return OptimizerState(fitted, float(found.fun), details=details)


def _units(objective: Curved, penalty: Penalty | None, factors: Floats, threads: int) -> Floats:
    """Return 1 / √curvature for each weight: the curvature of the loss, at most, and of the penalty.

    The nearest powers of two, by which fixed and bounded weights are multiplied and divided exactly.
    """
    curvature = objective.mean_squares(threads=threads) / 4.0
    if isinstance(penalty, Quadratic):
        curvature = curvature + factors * penalty.curvature
    return np.exp2(np.round(-0.5 * np.log2(np.where(curvature > 0, curvature, 1.0))))


def _moving(objective: Smooth, penalty: Penalty | None, start: Floats) -> NDArray[np.int64]:
    """Return weights that may move: the others are 0, and neither loss nor penalty has a slope there.

    Only of a penalty ½ · curvature · ‖w‖² is this known.
    Of a million features few occur in the lists of a round; vectors of all of them would be most of the work.
    """
    flat_at_zero = penalty is None or isinstance(penalty, Quadratic)
    if not flat_at_zero or not isinstance(objective, PartlyFlat):
        return np.arange(len(start))
    moves = np.ones(len(start), dtype=bool)
    moves[objective.still_columns()] = False
    return np.flatnonzero(moves | (start != 0.0))
