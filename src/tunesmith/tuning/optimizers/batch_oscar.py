"""Batch OSCAR: the true minimiser of what online OSCAR descends on, with a bound that proves it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.losses.differences import Differences, Ranked
from tunesmith.tuning.optimizers.base import BatchOptimizer, Floats, OptimizerState, Problem, checked_start
from tunesmith.tuning.optimizers.fista import Fista
from tunesmith.tuning.projection import Projection
from tunesmith.tuning.regularizers.base import Ordered, Penalty, check_strengths

DENSE_REACH = 10.0
"""The lower bound is one for dense weights up to this many times the largest one found (or 1)."""


LEAST_WIDTH = 1e-9
"""The corner of the hinge is rounded over no less: double precision is no finer."""


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
) -> Batch:
    """The minimiser of (1/N) Σ max(0, 1 - x_i·w) + l1 Σ|w_j| + l2 Σ_{j<k} max(|w_j|, |w_k|), by FISTA.

    The mean over the N pairs, as in Eq. 1; the sums over the penalised features, `dimension` (d) of them, most of
    which occur in no pair: they are 0 at the minimum and cost nothing here. Features without penalty are free.

    The hinge has a corner. It is rounded over a width that falls step by step, each time from the last solution:
    the rounded loss is smaller by at most half the width (Nesterov 2005). A point of the dual problem, made
    feasible, gives the lower bound; the end is reached when that is closer than `tolerance` times the objective,
    after `iterations`, or when no step leads any further.
    """
    problem = _Problem(differences, l1, l2, differences.dimension if dimension is None else dimension, threads)
    point = problem.start(start)
    best, objective, bound = point, problem.objective(point), 0.0  # a loss and a norm are never below 0
    width, used = 1.0, 0
    while used < iterations and objective - bound > tolerance * objective:
        least = max(tolerance * objective / 4, LEAST_WIDTH)
        left = iterations - used
        most = left if width <= least else max(left // 2, 1)
        # A problem need not be solved more finely than it was rounded.
        fista = Fista(tol=max(1e-7, 1e-4 * width), iterations=most)
        fitted = fista.minimize(_Rounded(problem, width), problem, point)
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


class _Problem:
    """A point in one row: penalised weights that occur in a pair, then the free ones. Its penalty is OSCAR.

    Free weights w stand there as Lᵀw, where LLᵀ is the mean of the outer products of the pairs' dense rows: what
    is not penalised may be measured in any unit, and in this one dense features of very different size, or that
    go together, do not slow the descent.
    """

    def __init__(self, differences: Differences, l1: float, l2: float, dimension: int, threads: int) -> None:
        check_strengths(l1=l1, l2=l2)
        if len(differences) == 0:
            raise ConfigError("there are no pairs to learn from")
        if dimension < differences.dimension:
            raise ConfigError(
                f"dimension = {dimension} is too small: {differences.dimension} features are penalised"
            )
        self.differences, self.threads = differences, threads
        self.l1, self.l2, self.dimension = l1, l2, dimension
        self.size = len(differences.penalised)
        self.columns = self.size + len(differences.unpenalised)
        dense = differences.dense
        products = dense.T @ dense / len(differences)
        sizes = np.sqrt(np.diag(products))
        sizes[sizes == 0] = 1.0
        even = products / np.outer(sizes, sizes) + 1e-8 * np.eye(len(sizes))  # columns that are others' sums
        self._root: Floats = np.linalg.cholesky(even) * sizes[:, None]

    def start(self, weights: Floats) -> Floats:
        """The part of the model's weights that can be other than 0."""
        given = checked_start(self.differences, weights)
        free = self._root.T @ given[self.differences.unpenalised]
        return np.concatenate([given[self.differences.penalised], free])

    def free(self, point: Floats) -> Floats:
        """The weights without penalty."""
        return np.linalg.solve(self._root.T, point[self.size :]).astype(np.float64)

    def combine(self, slopes: Floats) -> tuple[Floats, Floats]:
        """Σ slope · difference over the pairs: penalised and free features."""
        penalised, free = self.differences.native.combine(slopes)
        return penalised, free

    def gradient(self, slopes: Floats) -> Floats:
        """`combine` in the units of a point."""
        penalised, free = self.combine(slopes)
        return np.concatenate([penalised, np.linalg.solve(self._root, free)])

    def whole(self, point: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """Weights and groups of all features of the model."""
        weights, groups = np.zeros(self.differences.columns), np.full(self.differences.columns, -1, dtype=np.int64)
        weights[self.differences.penalised] = point[: self.size]
        weights[self.differences.unpenalised] = self.free(point)
        # What the last proximal step pooled has the same bits, and two of its groups never have.
        active = point[: self.size] != 0
        _, numbers = np.unique(-point[: self.size][active], return_inverse=True)
        groups[self.differences.penalised[active]] = numbers.reshape(-1)
        return weights, groups

    def margins(self, point: Floats) -> Floats:
        return self.differences.native.margins(point[: self.size], self.free(point), self.threads)

    def hinge(self, point: Floats) -> float:
        return float(np.maximum(0.0, 1.0 - self.margins(point)).mean())

    def objective(self, point: Floats) -> float:
        return self.hinge(point) + self.value(point)

    def value(self, w: Floats) -> float:
        return _core.oscar_value(w[: self.size], self.dimension, self.l1, self.l2)

    def prox(self, w: Floats, step: float) -> Floats:
        shrunk = _core.prox_oscar(w[: self.size], self.dimension, self.l1, self.l2, step)
        return np.concatenate([shrunk, w[self.size :]])

    def lower_bound(self, point: Floats, width: float) -> float:
        """By the dual problem: max (1/N) Σ α_i, 0 ≤ α_i ≤ 1, such that z = (1/N) Σ α_i x_i is a subgradient at 0.

        That is: sums of the largest |z_j| are at most those of the largest penalties, and z of the free features
        is 0. α is the slope of the rounded hinge, changed a little for the second and scaled down until the first
        holds; what the second still lacks is taken off, for weights within reach.
        """
        slopes = np.clip((1.0 - self.margins(point)) / width, 0.0, 1.0)
        reach = DENSE_REACH * max(1.0, float(np.abs(self.free(point)).max(initial=0.0)))
        return max(self._dual(each, reach) for each in (slopes, self._balanced(slopes)))

    def _dual(self, slopes: Floats, reach: float) -> float:
        penalised, free = self.combine(slopes / len(slopes))
        allowed = np.cumsum(self.l1 + self.l2 * (self.dimension - 1.0 - np.arange(self.size)))
        sums = np.cumsum(-np.sort(-np.abs(penalised)))
        if np.any((allowed <= 0) & (sums > 0)):
            return 0.0  # nothing is penalised: no slopes but 0 would do
        scale = max(1.0, float(np.max(sums / np.maximum(allowed, 1e-300), initial=0.0)))
        return (float(slopes.mean()) - reach * float(np.abs(free).sum())) / scale

    def _balanced(self, slopes: Floats) -> Floats:
        """The least change of slopes between 0 and 1 that makes z of the free features 0; almost, once clipped."""
        between = (slopes > 0) & (slopes < 1)
        rows = self.differences.dense[between]
        found = slopes.copy()
        found[between] -= rows @ (np.linalg.pinv(rows.T @ rows) @ self.combine(slopes)[1])
        return np.clip(found, 0.0, 1.0)


class _Rounded:
    """The mean hinge loss, its corner rounded over `width`."""

    def __init__(self, problem: _Problem, width: float) -> None:
        self.problem, self.width, self.columns = problem, width, problem.columns

    def value_and_grad(self, w: Floats, *, threads: int = 1) -> tuple[float, Floats]:
        short = np.maximum(0.0, 1.0 - self.problem.margins(w))
        bent = np.minimum(short, self.width)
        slopes = bent / (self.width * len(short))
        value = float((slopes * (short - bent / 2)).sum())
        return value, -self.problem.gradient(slopes)
