"""Accelerated proximal gradient."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tunesmith.checks import at_least, finite
from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.objectives import Smooth
from tunesmith.tuning.optimizers.base import BatchOptimizer, Floats, OptimizerState, Problem, optimizers
from tunesmith.tuning.regularizers.base import Penalty, Proximal, Separable
from tunesmith.tuning.regularizers.weighted import Weighted


@optimizers.register("fista")
@dataclass(frozen=True)
class Fista(BatchOptimizer[Smooth, Proximal]):
    """FISTA (Beck and Teboulle 2009) with backtracking, and restart when the value rises.

    The restart is that of O'Donoghue and Candès (2015).
    For any smooth objective with any regularizer that has a proximal point: L1, OSCAR, groups.

    tol: stop when a step changes no weight by more than this share of the largest one.
    iterations: the most iterations.
    """

    objective: ClassVar[type] = Smooth
    penalties: ClassVar[tuple[type, ...]] = (Proximal,)

    tol: float = 1e-5
    iterations: int = 2000

    def __post_init__(self) -> None:
        at_least(0, tol=self.tol)
        finite(tol=self.tol)
        at_least(1, iterations=self.iterations)

    def check(self, loss: Loss[Any, Any] | None, penalty: Penalty | None, limits: Limits | None) -> None:
        """Refuse limits that the penalty cannot keep."""
        if limits is not None and isinstance(penalty, Proximal):
            PenaltyWithin(penalty, limits)

    def solve(self, problem: Problem[Smooth, Proximal], start: Floats) -> OptimizerState:
        objective, threads = problem.objective, problem.threads
        penalty = PenaltyWithin(problem.penalty, problem.limits)
        point, size = problem.limits.clip(start), 1.0
        ahead, momentum = point, 1.0
        value = penalty.value(point) + objective.value_and_grad(point, threads=threads)[0]
        evaluations, iteration, change = 1, 0, math.inf
        while iteration < self.iterations and change > self.tol:
            iteration += 1
            smooth, gradient = objective.value_and_grad(ahead, threads=threads)
            evaluations += 1
            size *= 1.5  # a step that was made shorter once may grow again
            while True:
                new = penalty.prox(ahead - size * gradient, size)
                moved = new - ahead
                new_smooth, _ = objective.value_and_grad(new, threads=threads)
                evaluations += 1
                bound = smooth + float(gradient @ moved) + float(moved @ moved) / (2 * size)
                if new_smooth <= bound + 1e-12 * abs(bound) or size < 1e-18:
                    break
                size /= 2
            new_value = new_smooth + penalty.value(new)
            if new_value > value and momentum > 1.0:
                ahead, momentum = point, 1.0  # the momentum led astray: once more from the last good point
                continue
            change = float(np.abs(new - point).max(initial=0.0)) / max(float(np.abs(new).max(initial=0.0)), 1e-12)
            following = (1 + math.sqrt(1 + 4 * momentum * momentum)) / 2
            ahead = new + (momentum - 1) / following * (new - point)
            if new_value <= value:
                point, value = new, new_value
            else:
                change = 0.0  # a plain step cannot improve any more
            momentum = following
        details = {"iterations": float(iteration), "evaluations": float(evaluations)}
        return OptimizerState(point, value, details={**details, "active": float(np.count_nonzero(point))})


class PenaltyWithin:
    """Penalty and limits together: fixed weights stay, bounded ones are clipped after the proximal step."""

    def __init__(self, penalty: Proximal | None, limits: Limits) -> None:
        self._limits = limits
        factors = np.where(limits.fixed, 0.0, limits.factors)
        self._weighted = None if penalty is None else Weighted(penalty, factors)
        tied = penalty is not None and not isinstance(penalty, Separable)
        loose = np.isfinite(limits.lower) | np.isfinite(limits.upper)
        if tied and bool(np.any(loose & (factors != 0))):
            # Clipping is exact where weights do not depend on each other, and nowhere else.
            raise ConfigError(
                f"{type(penalty).__name__} ties weights to each other and cannot keep bounds on features it "
                "penalises. Give them the penalty 0, or use another regularizer."
            )

    def value(self, w: Floats) -> float:
        """Return the penalty of weights inside the limits."""
        return 0.0 if self._weighted is None else self._weighted.value(w)

    def prox(self, w: Floats, step: float) -> Floats:
        """Return the proximal point of penalty and limits."""
        return self._limits.clip(w if self._weighted is None else self._weighted.prox(w, step))
