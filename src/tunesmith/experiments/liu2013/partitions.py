"""Baseline partitions of the comparison, which learn nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunesmith.experiments.liu2013.clustering import cluster_rules
from tunesmith.tuning.groups.learnt import Floats, Learnt
from tunesmith.tuning.groups.partitions import Partition
from tunesmith.tuning.projection import Projection


class Unlearnt(Partition):
    """Base of partitions that ignore weights."""

    learns = False


@dataclass(frozen=True)
class NoGroups(Unlearnt):
    """No groups: tuning with the default features alone."""

    def groups(self, learnt: Learnt) -> Projection:
        return _of_rules(learnt, np.full(np.count_nonzero(learnt.grouped), -1))


@dataclass(frozen=True, eq=False)
class Clusters(Unlearnt):
    """Clusters of rules by k-means.   points: a row of numbers for each rule.   number: of clusters."""

    points: Floats
    number: int

    def groups(self, learnt: Learnt) -> Projection:
        """Divide all rules, including rules that occur in no list."""
        return _of_rules(learnt, cluster_rules(self.points, self.number, learnt.seed))


@dataclass(frozen=True, eq=False)
class ByCount(Unlearnt):
    """Groups by count of rules, as a measure of reliability.

    counts: of each rule, may be fractional.   bounds: upper bounds of the groups, followed by an unbounded group.
    """

    counts: Floats
    bounds: tuple[float, ...] = (0.1, 0.3, 0.6, 1.0, 2.0, 4.0, 8.0, 16.0)

    def groups(self, learnt: Learnt) -> Projection:
        """Divide all rules, including rules that occur in no list."""
        return _of_rules(learnt, np.searchsorted(self.bounds, self.counts, side="left"))


def _of_rules(learnt: Learnt, numbers: NDArray[np.int64]) -> Projection:
    """Group rules by these numbers (-1: none), other features alone. Drops numbers without rules."""
    groups = np.full(len(learnt.grouped), -1)
    groups[learnt.grouped] = numbers
    return Projection.beside_alone(groups, learnt.grouped).without(learnt.rare)
