"""Ways to make groups that a comparison needs beside the learnt ones; each stands where an optimizer stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tunesmith.experiments.liu2013.clustering import cluster_rules
from tunesmith.tuning.groups.projection import Projection
from tunesmith.tuning.losses.base import Objective
from tunesmith.tuning.optimizers.base import BatchOptimizer, Floats, OptimizerState, Problem
from tunesmith.tuning.regularizers.base import Penalty


@dataclass(frozen=True)
class NoGroups(BatchOptimizer[Objective, Penalty]):
    """No rule is in a group: what tuning goes on to find with the default features alone."""

    objective: ClassVar[type] = Objective
    penalties: ClassVar[tuple[type, ...]] = (Penalty,)

    def solve(self, problem: Problem[Objective, Penalty], start: Floats) -> OptimizerState:
        """Features that are not penalised stand alone."""
        return _grouped(problem, start, np.full(np.count_nonzero(problem.limits.factors), -1))


@dataclass(frozen=True, eq=False)
class RuleClusters(BatchOptimizer[Objective, Penalty]):
    """Clusters of rules by k-means, as many as groups are wanted.   points: a row of numbers for each rule."""

    objective: ClassVar[type] = Objective
    penalties: ClassVar[tuple[type, ...]] = (Penalty,)

    points: Floats
    groups: int

    def solve(self, problem: Problem[Objective, Penalty], start: Floats) -> OptimizerState:
        """Every rule is in a group, those that no list has too; weights stay as they are."""
        return _grouped(problem, start, cluster_rules(self.points, self.groups, problem.seed))


@dataclass(frozen=True, eq=False)
class CountGroups(BatchOptimizer[Objective, Penalty]):
    """Rules as often seen are a group: nothing is learnt, the count says how far a rule is to be trusted.

    counts: of each rule, fractional ones too.   bounds: upper bounds of the groups; one more is without.
    """

    objective: ClassVar[type] = Objective
    penalties: ClassVar[tuple[type, ...]] = (Penalty,)

    counts: Floats
    bounds: tuple[float, ...] = (0.1, 0.3, 0.6, 1.0, 2.0, 4.0, 8.0, 16.0)

    def solve(self, problem: Problem[Objective, Penalty], start: Floats) -> OptimizerState:
        """Every rule is in a group, those that no list has too; weights stay as they are."""
        return _grouped(problem, start, np.searchsorted(self.bounds, self.counts, side="left"))


def _grouped(problem: Problem[Objective, Penalty], start: Floats, groups: NDArray[np.int64]) -> OptimizerState:
    """The start weights, penalised features in these groups."""
    columns = np.flatnonzero(problem.limits.factors)
    return OptimizerState(start, 0.0, groups=projection(columns, groups, len(start)))


def projection(columns: NDArray[np.int64], groups: NDArray[np.int64], size: int) -> Projection:
    """These columns in these groups (-1: none), every other column alone."""
    grouped, whole = np.zeros(size, dtype=np.bool_), np.full(size, -1)
    grouped[columns], whole[columns] = True, groups
    return Projection.beside_alone(whole, grouped)
