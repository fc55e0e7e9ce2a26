"""Partitions: how learnt weights divide features into groups. `partitions` knows them by name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.registry import Registry
from tunesmith.tuning.projection import Projection

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


class Learnt(Protocol):
    """What training data taught about features (`groups.learning.Learning`).

    weights: of all features; 0 where too few sentences have a feature.
    grouped: features that are put into groups.   alone: those that are not, and teach nothing about others.
    rare: features of too few sentences.   ties: features of equal weight, where the optimizer knows them.
    """

    @property
    def weights(self) -> Floats:
        """Of all features."""

    @property
    def grouped(self) -> Mask:
        """Features that are put into groups."""

    @property
    def rare(self) -> Mask:
        """Features of too few sentences."""

    @property
    def ties(self) -> Projection | None:
        """Features of equal weight."""

    @property
    def seed(self) -> int:
        """For what is decided by chance."""

    @property
    def alone(self) -> Mask:
        """Features that are groups of their own."""

    def proportion(self) -> float:
        """How many times more features that stand alone tell translations apart than as they were learnt."""


class Partition(ABC):
    """Settings of a partition, a frozen dataclass."""

    @property
    def learns(self) -> bool:
        """Whether groups depend on learnt weights at all."""
        return True

    @property
    def by_rank(self) -> bool:
        """Whether groups depend on the order of the weights alone, so that other sentences give as many."""
        return False

    @abstractmethod
    def groups(self, learnt: Learnt) -> Projection:
        """Divide the features."""

    def weights(self, groups: Projection, learnt: Learnt) -> Floats:
        """What was learnt of each group."""
        return groups.weights(learnt.weights)


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
        if self.bins < 1:
            raise ConfigError(f"bins must be at least 1, got {self.bins}")

    @property
    def by_rank(self) -> bool:
        """They do."""
        return True

    def groups(self, learnt: Learnt) -> Projection:
        """From the lowest weight to the highest."""
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
        """Whether sizes do."""
        return self.of.by_rank

    def groups(self, learnt: Learnt) -> Projection:
        """Members are drawn from the features that have a group."""
        return self.of.groups(learnt).shuffled(learnt.grouped, learnt.seed)

    def weights(self, groups: Projection, learnt: Learnt) -> Floats:
        """Those of the groups before members were drawn."""
        return self.of.weights(self.of.groups(learnt), learnt)
