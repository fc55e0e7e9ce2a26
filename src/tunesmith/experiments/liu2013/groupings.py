"""Ways to make groups that a comparison needs beside the learnt ones; each stands where an optimizer stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tunesmith.experiments.liu2013.clustering import cluster_rules
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.groups.projection import Projection
from tunesmith.tuning.optimizers.base import Fitted, Floats
from tunesmith.tuning.optimizers.batch_oscar import batch_oscar
from tunesmith.tuning.optimizers.columns import columns_named
from tunesmith.tuning.regularizers.base import Regularizer

PENALISED = "id:*"


@dataclass(frozen=True)
class NoGroups:
    """No rule is in a group: what tuning goes on to find with the default features alone."""

    needs: ClassVar[frozenset[str]] = frozenset()
    regularizer_needs: ClassVar[frozenset[str] | None] = frozenset()

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
        """Features that are not penalised stand alone."""
        none = np.full(len(columns_of(objective)), -1)
        return Fitted(start, 0.0, {}, projection(columns_of(objective), none, len(start)))


@dataclass(frozen=True, eq=False)
class RuleClusters:
    """Clusters of rules by k-means, as many as groups are wanted.   points: a row of numbers for each rule."""

    needs: ClassVar[frozenset[str]] = frozenset()
    regularizer_needs: ClassVar[frozenset[str] | None] = frozenset()

    points: Floats
    groups: int

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
        """Every rule is in a group, those that no list has too; weights stay as they are."""
        clusters = cluster_rules(self.points, self.groups, seed)
        return Fitted(start, 0.0, {}, projection(columns_of(objective), clusters, len(start)))


@dataclass(frozen=True, eq=False)
class CountGroups:
    """Rules as often seen are a group: nothing is learnt, the count says how far a rule is to be trusted.

    counts: of each rule, fractional ones too.   bounds: upper bounds of the groups; one more is without.
    """

    needs: ClassVar[frozenset[str]] = frozenset()
    regularizer_needs: ClassVar[frozenset[str] | None] = frozenset()

    counts: Floats
    bounds: tuple[float, ...] = (0.1, 0.3, 0.6, 1.0, 2.0, 4.0, 8.0, 16.0)

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
        """Every rule is in a group, those that no list has too; weights stay as they are."""
        groups = np.searchsorted(self.bounds, self.counts, side="left")
        return Fitted(start, 0.0, {}, projection(columns_of(objective), groups, len(start)))


@dataclass(frozen=True)
class BatchOscar:
    """The weights that minimise mean hinge loss and OSCAR together, instead of where online learning stands.

    tolerance, iterations: when it ends.
    """

    needs: ClassVar[frozenset[str]] = frozenset({"pairs"})
    regularizer_needs: ClassVar[frozenset[str] | None] = frozenset({"online"})

    tolerance: float = 1e-2
    iterations: int = 500

    def minimize(
        self,
        objective: Any,
        regularizer: Any,
        start: Floats,
        *,
        seed: int,
        constraints: Constraints | None = None,
        threads: int = 1,
    ) -> Fitted:
        """Features of equal weight are a group."""
        columns = columns_of(objective)
        d, l2 = regularizer.at(len(columns))
        found = batch_oscar(
            objective.pairs(columns, threads=threads), start, l1=regularizer.l1, l2=l2, dimension=d,
            tolerance=self.tolerance, iterations=self.iterations, threads=threads,
        )  # fmt: skip
        details = {**found.details, "objective": found.objective, "gap": found.gap}
        groups = projection(columns, found.groups[columns], len(start))
        return Fitted(found.weights, found.objective, details, groups)


def columns_of(objective: Any) -> NDArray[np.int64]:
    """The columns of rule identities."""
    return columns_named(objective.features, objective.columns, PENALISED)


def projection(columns: NDArray[np.int64], groups: NDArray[np.int64], size: int) -> Projection:
    """These columns in these groups (-1: none), every other column alone."""
    grouped, whole = np.zeros(size, dtype=np.bool_), np.full(size, -1)
    grouped[columns], whole[columns] = True, groups
    return Projection.beside_alone(whole, grouped)
