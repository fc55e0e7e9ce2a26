"""Partitions: how learnt weights divide features into groups. `partitions` knows them by name."""

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
    """Settings of a partition, a frozen dataclass.   learns: whether groups depend on learnt weights at all."""

    learns: ClassVar[bool] = True

    @property
    def by_rank(self) -> bool:
        """Whether groups depend on the order of the weights alone, so that other sentences give as many."""
        return False

    @abstractmethod
    def groups(self, learnt: Learnt) -> Projection:
        """Divide the features."""

    def divided(self, learnt: Learnt) -> tuple[Projection, Floats]:
        """The groups, and what was learnt of each."""
        groups = self.groups(learnt)
        return groups, groups.weights(learnt.weights)


partitions: Registry[Partition] = Registry("partition", "tunesmith.partitions")


@partitions.register("ties")
@dataclass(frozen=True)
class Ties(Partition):
    """Features of equal weight are a group (Liu et al. 2013, Algorithm 1, line 4)."""

    def groups(self, learnt: Learnt) -> Projection:
        """By the optimizer where it knows them; rare features are in none."""
        if learnt.ties is None:
            return Projection.by_value(learnt.weights, learnt.grouped)
        return learnt.ties.without(learnt.rare)


@partitions.register("ranks")
@dataclass(frozen=True)
class Ranks(Partition):
    """Features, ordered by weight, in so many groups of equal number.   bins: how many."""

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
    """Groups by rank whose members have shares of the group's weight: the weights that were learnt.

    The group's weight says how much all of that counts; 1 is as much as with the other features' learnt weights.
    """

    bins: int = 1

    def groups(self, learnt: Learnt) -> Projection:
        """In proportion to the present weights of the features that stand alone."""
        return super().groups(learnt).shared_out(learnt.weights * learnt.proportion(), learnt.grouped)


@partitions.register("random")
@dataclass(frozen=True)
class Random(Partition):
    """Groups of the sizes that another partition gives, filled by chance, to see what learning is worth."""

    of: Partition = field(default_factory=Ties)

    @property
    def by_rank(self) -> bool:
        return self.of.by_rank

    def groups(self, learnt: Learnt) -> Projection:
        """Members are drawn from the features that have a group."""
        return self.divided(learnt)[0]

    def divided(self, learnt: Learnt) -> tuple[Projection, Floats]:
        """Weights are those of the groups before members were drawn."""
        groups, weights = self.of.divided(learnt)
        return groups.shuffled(learnt.grouped, learnt.seed), weights


def read_partition(text: str, before: Partition) -> Partition:
    """The partition that a text such as `ranks:bins=5` names; `random` fills the one before by chance."""
    name, settings = parse_named(text)
    partition = partitions.make(name)
    if isinstance(partition, Random):
        partition = Random(of=before)
    return with_values(partition, settings)
