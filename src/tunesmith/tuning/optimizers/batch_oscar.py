"""Batch OSCAR: the true minimiser of what online OSCAR descends on, with a bound that proves it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.execution import Executor
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.losses.differences import Differences, Ranked
from tunesmith.tuning.optimizers.base import BatchOptimizer, Floats, OptimizerState, Problem
from tunesmith.tuning.optimizers.fista import Fista
from tunesmith.tuning.optimizers.oscar_problem import OscarProblem, RoundedHinge
from tunesmith.tuning.projection import Projection
from tunesmith.tuning.regularizers.base import Ordered, Penalty

LEAST_WIDTH = 1e-9
"""Least width over which the corner of the hinge is rounded: double precision is no finer."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Weights of all features of the model that minimise mean hinge loss + OSCAR (Liu et al. 2013, Eq. 2).

    groups: for every feature the number of those with exactly its weight, sign included, highest weight first;
        -1 for weight 0 and for features without penalty.
    objective: the value at `weights`, of the hinge itself and not of a rounded one.
    lower_bound: no weights have a smaller one (dense ones up to DENSE_REACH times those found).
    """

    weights: Floats
    groups: NDArray[np.int64]
    objective: float
    lower_bound: float
    details: Mapping[str, float] = field(default_factory=dict)

    @property
    def gap(self) -> float:
        """How much smaller the objective could at most become."""
        return self.objective - self.lower_bound


@dataclass(frozen=True)
class BatchOscar(BatchOptimizer[Ranked, Ordered]):
    """The weights that minimise mean hinge loss and OSCAR together; online learning only comes near.

    For comparison, hence without a name among the optimizers.

    tolerance, iterations: when it ends.
    """

    objective: ClassVar[type] = Ranked
    penalties: ClassVar[tuple[type, ...]] = (Ordered,)

    tolerance: float = 1e-2
    iterations: int = 500

    def check(self, loss: Loss[Any, Any] | None, penalty: Penalty | None, limits: Limits | None) -> None:
        """Refuse to work without a penalty, and limits other than penalty factors of 0 and 1."""
        if penalty is None:
            raise ConfigError("BatchOscar cannot do without a penalty. Use Oscar or L1.")
        if limits is not None and (limits.bounded or not np.isin(limits.factors, (0.0, 1.0)).all()):
            raise ConfigError("BatchOscar keeps no bounds, and penalises features alike (1) or not at all (0)")

    def solve(self, problem: Problem[Ranked, Ordered], start: Floats) -> OptimizerState:
        assert problem.penalty is not None
        penalised = problem.limits.factors != 0
        columns = np.flatnonzero(penalised)
        l1, l2, d = problem.penalty.strengths(len(columns))
        found = batch_oscar(
            problem.objective.pairs(columns, threads=problem.threads), start, l1=l1, l2=l2, dimension=d,
            tolerance=self.tolerance, iterations=self.iterations, threads=problem.threads,
            executor=problem.executor,
        )  # fmt: skip
        details = {**found.details, "objective": found.objective, "gap": found.gap}
        groups = Projection.beside_alone(found.groups, penalised)
        return OptimizerState(found.weights, found.objective, details=details, groups=groups)


def batch_oscar(
    differences: Differences,
    start: Floats,
    *,
    l1: float,
    l2: float,
    dimension: int | None = None,
    tolerance: float = 1e-4,
    iterations: int = 20000,
    threads: int = 1,
    executor: Executor | None = None,
) -> Batch:
    """Return the minimiser of (1/N) Σ max(0, 1 - x_i·w) + l1 Σ|w_j| + l2 Σ_{j<k} max(|w_j|, |w_k|), by FISTA.

    The mean over the N pairs, as in Eq. 1; the sums over the penalised features, `dimension` (d) of them, most of
    which occur in no pair: they are 0 at the minimum and cost nothing here. Features without penalty are free.

    The hinge has a corner. It is rounded over a width that falls step by step, each time from the last solution:
    the rounded loss is smaller by at most half the width (Nesterov 2005). A point of the dual problem, made
    feasible, gives the lower bound; the end is reached when that is closer than `tolerance` times the objective,
    after `iterations`, or when no step leads any further.

    executor: adds over parts of the pairs; the bytes are the same.
    """
    with OscarProblem.opened(differences, l1, l2, dimension, threads, executor) as problem:
        return _minimised(problem, start, tolerance, iterations)


def _minimised(problem: OscarProblem, start: Floats, tolerance: float, iterations: int) -> Batch:
    point = problem.start(start)
    best, objective, bound = point, problem.objective(point), 0.0  # a loss and a norm are never below 0
    width, used = 1.0, 0
    while used < iterations and objective - bound > tolerance * objective:
        least = max(tolerance * objective / 4, LEAST_WIDTH)
        left = iterations - used
        most = left if width <= least else max(left // 2, 1)
        # A problem need not be solved more finely than it was rounded.
        fista = Fista(tol=max(1e-7, 1e-4 * width), iterations=most)
        fitted = fista.minimize(RoundedHinge(problem, width), problem, point)
        steps = int(fitted.details["iterations"])
        point, used = fitted.weights, used + steps
        value = problem.objective(point)
        if value < objective:
            best, objective = point, value
        bound = max(bound, problem.lower_bound(point, width))
        if width <= least and steps < most:
            break  # no step leads any further
        width = max(width / 4, least)
    details = {"iterations": float(used), "width": width, "hinge": problem.hinge(best)}
    return Batch(*problem.whole(best), objective, bound, details)
