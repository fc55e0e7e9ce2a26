"""Partitions of features into groups by learnt weights. `partitions` holds them by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from tunesmith.checks import at_least
from tunesmith.registry import Registry
from tunesmith.settings import parse_named, with_values
from tunesmith.tuning.groups.learnt import Floats, Learnt
from tunesmith.tuning.projection import Projection


class Partition(ABC):
    """Settings of a partition, a frozen dataclass.   learns: whether groups depend on learnt weights."""

    learns: ClassVar[bool] = True

    @property
    def by_rank(self) -> bool:
        """Whether groups depend only on the order of the weights, so that their number is fixed."""
        return False

    @abstractmethod
    def groups(self, learnt: Learnt) -> Projection:
        """Divide the features."""

    def divided(self, learnt: Learnt) -> tuple[Projection, Floats]:
        """Divide the features; returns the groups and their learnt weights."""
        groups = self.groups(learnt)
        return groups, groups.weights(learnt.weights)


partitions: Registry[Partition] = Registry("partition", "tunesmith.partitions")


@partitions.register("ties")
@dataclass(frozen=True)
class Ties(Partition):
    """Features of equal weight are a group (Liu et al. 2013, Algorithm 1, line 4)."""

    def groups(self, learnt: Learnt) -> Projection:
        """Return the ties of the optimizer, if known; rare features are in no group."""
        if learnt.ties is None:
            return Projection.by_value(learnt.weights, learnt.grouped)
        return learnt.ties.without(learnt.rare)


@partitions.register("ranks")
@dataclass(frozen=True)
class Ranks(Partition):
    """Features ordered by weight and divided into groups of equal size.   bins: number of groups."""

    bins: int = 5

    def __post_init__(self) -> None:
        at_least(1, bins=self.bins)

    @property
    def by_rank(self) -> bool:
        return True

    def groups(self, learnt: Learnt) -> Projection:
        return Projection.by_rank(learnt.weights, ~learnt.alone, self.bins)


@partitions.register("shares")
@dataclass(frozen=True)
class Shares(Ranks):
    """Groups by rank whose members have shares of the group's weight, proportional to their learnt weights.

    The group's weight scales all members; at 1 they count as much as under the learnt weights of the other
    features.
    """

    bins: int = 1

    def groups(self, learnt: Learnt) -> Projection:
        """Divide in proportion to the current weights of the ungrouped features."""
        return super().groups(learnt).shared_out(learnt.weights * learnt.proportion(), learnt.grouped)


@partitions.register("random")
@dataclass(frozen=True)
class Random(Partition):
    """Groups with the sizes of another partition and random members, as a baseline for learnt groups."""

    of: Partition = field(default_factory=Ties)

    @property
    def by_rank(self) -> bool:
        return self.of.by_rank

    def groups(self, learnt: Learnt) -> Projection:
        """Draw members of groups from the features that have a group."""
        return self.divided(learnt)[0]

    def divided(self, learnt: Learnt) -> tuple[Projection, Floats]:
        """Divide at random; weights are those of the groups before members were drawn."""
        groups, weights = self.of.divided(learnt)
        return groups.shuffled(learnt.grouped, learnt.seed), weights


def read_partition(text: str, before: Partition) -> Partition:
    """Parse a partition such as `ranks:bins=5`; `random` draws members for the default partition."""
    name, settings = parse_named(text)
    partition = partitions.make(name)
    if isinstance(partition, Random):
        partition = Random(of=before)
    return with_values(partition, settings)
