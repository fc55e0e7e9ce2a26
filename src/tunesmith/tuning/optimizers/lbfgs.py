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
from tunesmith.tuning.objectives import Curved, Narrowing, Objective, PartlyFlat, Smooth
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

        limits = problem.limits
        fitted = limits.clip(np.zeros_like(start) if self.from_zero else start)
        seen = _seen(problem, fitted)
        moving = seen.moving
        penalty = None if problem.penalty is None else Weighted(problem.penalty, limits.factors[moving])
        units = np.ones(len(moving))
        if self.scaled:
            if not isinstance(problem.objective, Curved):
                self._refuse(type(problem.objective))
            units = _units(seen.mean_squares(), problem.penalty, limits.factors[moving])

        def value_and_grad(z: Floats) -> tuple[float, Floats]:
            w = z * units
            value, gradient = seen.value_and_grad(w)
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


@dataclass(frozen=True, eq=False)
class _Seen:
    """The objective as a function of the weights that move.

    moving: their numbers.   fitted: all weights.   places: where an objective over fewer weights has its own among
    those that move; None for one over all weights.
    """

    objective: Smooth
    moving: NDArray[np.int64]
    fitted: Floats
    threads: int
    places: NDArray[np.int64] | None = None

    def value_and_grad(self, w: Floats) -> tuple[float, Floats]:
        if self.places is None:
            self.fitted[self.moving] = w
            value, gradient = self.objective.value_and_grad(self.fitted, threads=self.threads)
            return value, gradient[self.moving]
        value, gradient = self.objective.value_and_grad(w[self.places], threads=self.threads)
        return value, self._spread(gradient)

    def mean_squares(self) -> Floats:
        assert isinstance(self.objective, Curved)
        found = self.objective.mean_squares(threads=self.threads)
        return found[self.moving] if self.places is None else self._spread(found)

    def _spread(self, values: Floats) -> Floats:
        if self.places is None or len(values) == len(self.moving):
            return values
        spread = np.zeros(len(self.moving))
        spread[self.places] = values
        return spread


def _seen(problem: Problem[Smooth, Differentiable], start: Floats) -> _Seen:
    """Return the objective over weights that may move: the others are 0, and nothing has a slope there.

    Only of a penalty ½ · curvature · ‖w‖² is this known.
    Of a million features few occur in the lists of a round; vectors of all of them would be most of the work.
    """
    objective, threads = problem.objective, problem.threads
    everything = np.arange(len(start))
    if not (problem.penalty is None or isinstance(problem.penalty, Quadratic)):
        return _Seen(objective, everything, start, threads)
    narrow = objective.narrowed(threads=threads) if isinstance(objective, Narrowing) else None
    if narrow is not None:
        moves = start != 0.0
        moves[narrow.numbers] = True
        moving = np.flatnonzero(moves)
        return _Seen(narrow, moving, start, threads, np.searchsorted(moving, narrow.numbers))
    if not isinstance(objective, PartlyFlat):
        return _Seen(objective, everything, start, threads)
    moves = np.ones(len(start), dtype=bool)
    moves[objective.still_columns()] = False
    return _Seen(objective, np.flatnonzero(moves | (start != 0.0)), start, threads)


def _units(squares: Floats, penalty: Penalty | None, factors: Floats) -> Floats:
    """Return 1 / √curvature for each weight: the curvature of the loss, at most, and of the penalty.

    The nearest powers of two, by which fixed and bounded weights are multiplied and divided exactly.
    """
    curvature = squares / 4.0
    if isinstance(penalty, Quadratic):
        curvature = curvature + factors * penalty.curvature
    return np.exp2(np.round(-0.5 * np.log2(np.where(curvature > 0, curvature, 1.0))))
