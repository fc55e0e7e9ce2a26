"""Mean hinge loss of pairs and OSCAR (Liu et al. 2013, Eq. 2) as learners of all pairs see it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.execution import Executor
from tunesmith.tuning.losses.differences import Differences
from tunesmith.tuning.optimizers.base import Floats, checked_start
from tunesmith.tuning.regularizers.base import check_strengths
from tunesmith.tuning.sums.pairs import PairTerms
from tunesmith.tuning.sums.parts import Summing, in_parts
from tunesmith.tuning.sums.terms import Answer, Asked

DENSE_REACH = 10.0
"""The lower bound is one for dense weights up to this many times the largest one found (or 1)."""


class OscarProblem:
    """A point in one row: penalised weights that occur in a pair, then the free ones. Its penalty is OSCAR.

    Free weights w stand there as Lᵀw, where LLᵀ is the mean of the outer products of the pairs' dense rows: what
    is not penalised may be measured in any unit, and in this one dense features of very different size, or that
    go together, do not slow the descent.

    summing: adds over the pairs, here or elsewhere.
    """

    def __init__(
        self,
        differences: Differences,
        l1: float,
        l2: float,
        dimension: int | None,
        threads: int = 1,
        summing: Summing | None = None,
    ) -> None:
        check_strengths(l1=l1, l2=l2)
        if len(differences) == 0:
            raise ConfigError("there are no pairs to learn from")
        self.dimension = differences.dimension if dimension is None else dimension
        if self.dimension < differences.dimension:
            raise ConfigError(
                f"dimension = {dimension} is too small: {differences.dimension} features are penalised"
            )
        self.differences, self.threads, self.l1, self.l2 = differences, threads, l1, l2
        self.summing = summing or Summing(PairTerms.of(differences))
        self.size = len(differences.penalised)
        self.columns = self.size + len(differences.unpenalised)
        dense = differences.dense
        products = dense.T @ dense / len(differences)
        sizes = np.sqrt(np.diag(products))
        sizes[sizes == 0] = 1.0
        even = products / np.outer(sizes, sizes) + 1e-8 * np.eye(len(sizes))  # columns that are others' sums
        self.root: Floats = np.linalg.cholesky(even) * sizes[:, None]

    @classmethod
    @contextlib.contextmanager
    def opened(
        cls,
        differences: Differences,
        l1: float,
        l2: float,
        dimension: int | None,
        threads: int = 1,
        executor: Executor | None = None,
        bounds: Sequence[tuple[int, int]] | None = None,
    ) -> Iterator[OscarProblem]:
        """Open the problem whose sums an executor makes, or that are made in these parts."""
        if executor is None and bounds is None:
            yield cls(differences, l1, l2, dimension, threads)
            return
        with in_parts(PairTerms.of(differences), executor, bounds) as parts:
            yield cls(differences, l1, l2, dimension, threads, parts)

    def start(self, weights: Floats) -> Floats:
        """Return the part of the model's weights that can be other than 0."""
        given = checked_start(self.differences, weights)
        free = self.root.T @ given[self.differences.unpenalised]
        return np.concatenate([given[self.differences.penalised], free])

    def free(self, point: Floats) -> Floats:
        """Return the weights without penalty."""
        return np.linalg.solve(self.root.T, point[self.size :]).astype(np.float64)

    def weights(self, point: Floats) -> Floats:
        """Return the weights of a point, over the columns of the pairs."""
        return np.concatenate([point[: self.size], self.free(point)])

    def slopes(self, by_weights: Floats) -> Floats:
        """Return a gradient by the weights in the units of a point."""
        free = np.linalg.solve(self.root, by_weights[self.size :])
        return np.concatenate([by_weights[: self.size], free])

    def ask(self, what: str, point: Floats, **numbers: float) -> Answer:
        """Return a sum over all pairs at a point."""
        return self.summing.ask(Asked(what, {"w": self.weights(point)}, numbers), threads=self.threads)

    def whole(self, point: Floats) -> tuple[Floats, NDArray[np.int64]]:
        """Return weights and groups of all features of the model."""
        weights, groups = np.zeros(self.differences.columns), np.full(self.differences.columns, -1, dtype=np.int64)
        weights[self.differences.penalised] = point[: self.size]
        weights[self.differences.unpenalised] = self.free(point)
        # What the last proximal step pooled has the same bits, and two of its groups never have.
        active = point[: self.size] != 0
        _, numbers = np.unique(-point[: self.size][active], return_inverse=True)
        groups[self.differences.penalised[active]] = numbers.reshape(-1)
        return weights, groups

    def hinge(self, point: Floats) -> float:
        """Return the mean hinge loss."""
        return float(self.ask("rounded hinge", point, width=1.0).numbers[1]) / len(self.differences)

    def objective(self, point: Floats) -> float:
        return self.hinge(point) + self.value(point)

    def value(self, w: Floats) -> float:
        return _core.oscar_value(w[: self.size], self.dimension, self.l1, self.l2)

    def prox(self, w: Floats, step: float) -> Floats:
        shrunk = _core.prox_oscar(w[: self.size], self.dimension, self.l1, self.l2, step)
        return np.concatenate([shrunk, w[self.size :]])

    def lower_bound(self, point: Floats, width: float) -> float:
        """Bound by the dual: max (1/N) Σ α_i, 0 ≤ α_i ≤ 1, such that z = (1/N) Σ α_i x_i is a subgradient at 0.

        That is: sums of the largest |z_j| are at most those of the largest penalties, and z of the free features
        is 0. α is the slope of the rounded hinge, changed a little for the second and scaled down until the first
        holds; what the second still lacks is taken off, for weights within reach.
        """
        plain = self.ask("dual point", point, width=width, products=1.0)
        free = self.columns - self.size
        products = plain.numbers[1:].reshape(free, free)
        shift = np.linalg.pinv(products) @ plain.vector[self.size :]  # the least change that makes z of them 0
        vectors = {"w": self.weights(point), "shift": np.concatenate([np.zeros(self.size), shift])}
        shifted = self.summing.ask(Asked("dual point", vectors, {"width": width}), threads=self.threads)
        return max(self.dual_value(each, point) for each in (plain, shifted))

    def dual_value(self, multipliers: Answer, point: Floats) -> float:
        """Return the dual value of multipliers: their sum, and Σ α · difference over the columns."""
        size, pairs = self.size, len(self.differences)
        reach = DENSE_REACH * max(1.0, float(np.abs(self.free(point)).max(initial=0.0)))
        z = multipliers.vector / pairs
        allowed = np.cumsum(self.l1 + self.l2 * (self.dimension - 1.0 - np.arange(size)))
        sums = np.cumsum(-np.sort(-np.abs(z[:size])))
        if np.any((allowed <= 0) & (sums > 0)):
            return 0.0  # nothing is penalised: no slopes but 0 would do
        scale = max(1.0, float(np.max(sums / np.maximum(allowed, 1e-300), initial=0.0)))
        return (float(multipliers.numbers[0]) / pairs - reach * float(np.abs(z[size:]).sum())) / scale


class RoundedHinge:
    """The mean hinge loss, its corner rounded over `width`."""

    def __init__(self, problem: OscarProblem, width: float) -> None:
        self.problem, self.width, self.columns = problem, width, problem.columns

    def value_and_grad(self, w: Floats, *, threads: int = 1) -> tuple[float, Floats]:
        found = self.problem.ask("rounded hinge", w, width=self.width)
        share = 1.0 / len(self.problem.differences)
        return float(found.numbers[0]) * share, self.problem.slopes(found.vector) * share
