"""Features to groups and back: tune few weights, use many (Liu et al. 2013, Algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Projection:
    """A partition of features: groups[j] is the group of feature j, -1 for a feature that takes no part.

    A group's value is the sum of its members' values, so that a weight for the group is that weight for each of
    them.
    """

    groups: NDArray[np.int64]
    size: int

    def __post_init__(self) -> None:
        groups = self.groups
        if groups.ndim != 1 or (groups.size and not (groups.min() >= -1 and groups.max() < self.size)):
            raise ConfigError(f"groups must be a list of numbers from -1 to {self.size - 1}")

    @property
    def matrix(self) -> Any:
        """The 0/1 membership matrix, features × groups, as scipy's CSR."""
        from scipy import sparse

        members = np.flatnonzero(self.groups >= 0)
        entries = (np.ones(len(members)), (members, self.groups[members]))
        return sparse.csr_matrix(entries, shape=(len(self.groups), self.size))

    def resized(self, columns: int) -> Projection:
        """The same for so many features; those that were not known when groups were made belong to none."""
        more = columns - len(self.groups)
        if more == 0:
            return self
        groups = np.concatenate([self.groups, np.full(more, -1)]) if more > 0 else self.groups[:columns]
        return Projection(groups, self.size)

    def weights(self, weights: Floats) -> Floats:
        """Weights of groups: the mean over their members, 0 for a group without any."""
        members = self.groups >= 0
        sums = np.bincount(self.groups[members], weights=weights[members], minlength=self.size)
        sizes = np.bincount(self.groups[members], minlength=self.size)
        means: Floats = sums / np.maximum(sizes, 1)
        return means

    def holding(self, features: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which groups have one of these features."""
        held = np.zeros(self.size, dtype=bool)
        held[self.groups[features & (self.groups >= 0)]] = True
        return held

    def without(self, features: NDArray[np.bool_]) -> Projection:
        """The same groups, these features being in none; groups that lose all members are gone."""
        kept = np.where(features, -1, self.groups)
        left, numbers = np.unique(kept[kept >= 0], return_inverse=True)
        kept[kept >= 0] = numbers
        return Projection(kept, len(left))

    def unpack(self, weights: Floats) -> Floats:
        """Weights of features: that of their group, 0 without one."""
        return np.append(weights, 0.0)[self.groups]

    @classmethod
    def beside_alone(cls, groups: NDArray[np.int64], grouped: NDArray[np.bool_]) -> Projection:
        """Every feature that is not `grouped` is a group of its own; behind these come the given groups.

        groups: for each feature the number of its group, -1 for none; those of ungrouped features do not count.
        """
        alone = int(np.count_nonzero(~grouped))
        found: NDArray[np.int64] = np.where(groups >= 0, groups + alone, -1)
        found[~grouped] = np.arange(alone)
        return cls(found, alone + int(groups[grouped].max(initial=-1)) + 1)

    @classmethod
    def by_value(cls, weights: Floats, grouped: NDArray[np.bool_]) -> Projection:
        """Features of equal weight are a group, those of weight 0 none (D(W) of Liu et al. 2013).

        +v and -v are two groups.   grouped: the features this is for; every other one is a group of its own.
        """
        groups = np.full(len(weights), -1)
        members = np.flatnonzero(grouped & (weights != 0))
        groups[members] = np.unique(weights[members], return_inverse=True)[1]
        return cls.beside_alone(groups, grouped)

    @classmethod
    def by_rank(cls, weights: Floats, grouped: NDArray[np.bool_], bins: int) -> Projection:
        """Features with a weight, from the lowest to the highest, in so many groups of equal number.

        Equal weights may fall to both sides of a border, in the order of the features. grouped: as in `by_value`.
        """
        groups = np.full(len(weights), -1)
        members = np.flatnonzero(grouped & (weights != 0))
        order = members[np.argsort(weights[members], kind="stable")]
        groups[order] = np.arange(len(order)) * min(bins, len(order)) // max(len(order), 1)
        return cls.beside_alone(groups, grouped)

    def shuffled(self, grouped: NDArray[np.bool_], seed: int) -> Projection:
        """Groups of the same sizes, with members drawn by chance among the `grouped` features that have one."""
        members = np.flatnonzero(grouped & (self.groups >= 0))
        groups = self.groups.copy()
        groups[members] = np.random.default_rng(seed).permutation(groups[members])
        return Projection(groups, self.size)
