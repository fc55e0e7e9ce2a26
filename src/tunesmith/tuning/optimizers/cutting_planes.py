"""Cutting planes, and oracles chosen again (structured SVM)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from tunesmith.checks import at_least, finite, within
from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.objectives import Latent
from tunesmith.tuning.optimizers.base import BatchOptimizer, Floats, OptimizerState, Problem, optimizers
from tunesmith.tuning.regularizers.base import Penalty, Quadratic
from tunesmith.tuning.regularizers.weighted import Weighted

_FIRST_GAP = 0.1  # that is left of the first convex problem


@optimizers.register("cutting_planes")
@dataclass(frozen=True)
class CuttingPlanes(BatchOptimizer[Latent, Quadratic]):
    """The alternation of Cherry and Foster (2012, section 3.2), after Yu and Joachims (2009).

    Oracles are chosen by the weights and fixed; what is then convex is solved by cutting planes in the dual
    (Tsochantaridis et al. 2004), to a gap between primal and dual value that is known; oracles are chosen again.
    The loss with free oracles falls from one to the next, so it ends in a local minimum. The start weights only
    choose the first oracles. Fixed and bounded weights are exact.

    Early problems are solved roughly, as their oracles change anyway: the gap that is left is at most half of what
    the oracles chosen last have gained, and that of the last problem is `tol`. The work of a problem grows as its
    gap falls, and slowly as the penalty becomes weaker.

    selections: how often oracles are chosen, fewer when they stay the same.
    tol: the gap that is left of the last convex problem, as a share of its value.
    planes: the most rounds of new planes for each convex problem.
    """

    objective: ClassVar[type] = Latent
    penalties: ClassVar[tuple[type, ...]] = (Quadratic,)

    selections: int = 10
    tol: float = 1e-3
    planes: int = 500

    def __post_init__(self) -> None:
        at_least(1, selections=self.selections)
        at_least(0, tol=self.tol)
        finite(tol=self.tol)
        within(1, 2**32 - 1, planes=self.planes)

    def check(self, loss: Loss[Any, Any] | None, penalty: Penalty | None, limits: Limits | None) -> None:
        """Refuse weights that could move without a penalty: the dual problem has none of its own."""
        known = _penalty(penalty)
        if limits is not None:
            _curvature(known, limits)

    def solve(self, problem: Problem[Latent, Quadratic], start: Floats) -> OptimizerState:
        """Solve; the order of steps in the dual is drawn from `seed`."""
        objective, limits, threads = problem.objective, problem.limits, problem.threads
        known = _penalty(problem.penalty)
        penalty = Weighted(known, limits.factors)
        dual = objective.cutting_planes(_curvature(known, limits), limits.lower, limits.upper)
        _, oracles = objective.value_and_oracles(limits.clip(start), threads=threads)
        best: OptimizerState | None = None
        rounds, steps, number, aim = 0, 0, 1, max(self.tol, _FIRST_GAP)
        while True:
            aim = self.tol if number == self.selections else aim
            dual.select(oracles)
            found, primal, bound, more, _, made = dual.solve(aim, self.planes, problem.seed, threads)
            rounds, steps = rounds + more, steps + made
            loss, new = objective.value_and_oracles(found, threads=threads)
            value = loss + penalty.value(found)
            if best is None or value < best.value:
                details = {"selections": float(number), "loss": loss, "gap": max(primal - bound, 0.0)}
                best = OptimizerState(found, value, details=details)
            same = np.array_equal(new, oracles)
            if number == self.selections or (same and aim <= self.tol):
                break
            number += not same
            aim = self.tol if same else max(self.tol, min(aim, (primal - value) / (2 * max(abs(value), 1e-300))))
            oracles = new
        work = {"rounds_of_planes": float(rounds), "steps": float(steps)}
        return replace(best, details={**best.details, **work})


def _penalty(penalty: Penalty | None) -> Quadratic:
    """Return the penalty, which must be there."""
    if not isinstance(penalty, Quadratic) or not penalty.curvature > 0:
        raise ConfigError("CuttingPlanes cannot do without a penalty. Use L2 with a strength above 0.")
    return penalty


def _curvature(penalty: Quadratic, limits: Limits) -> Floats:
    """Return the second derivative of the penalty by each weight; it must be there for all that can move."""
    curvature = penalty.curvature * limits.factors
    if np.any((curvature == 0) & ~limits.fixed):
        raise ConfigError(
            "CuttingPlanes cannot leave a feature without penalty (a factor of 0). Give it a small one, such "
            "as 0.001, or fix it."
        )
    return curvature
