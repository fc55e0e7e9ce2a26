"""Projection of features to groups and back: tune few weights, use many (Liu et al. 2013, Algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.tuning.growth import resized

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Projection:
    """A partition of features: groups[j] is the group of feature j, -1 for an excluded feature.

    A group's value is the sum of its members' values, so that the weight of a group is the weight of each member.
    shares: share of its group's weight for each feature; default: 1. The group's value is then the sum of its
    members' values, each times its share.
    """

    groups: NDArray[np.int64]
    size: int
    shares: Floats | None = None

    def __post_init__(self) -> None:
        groups = self.groups
        if groups.ndim != 1 or (groups.size and not (groups.min() >= -1 and groups.max() < self.size)):
            raise ConfigError(f"groups must be a list of numbers from -1 to {self.size - 1}")
        if self.shares is not None and self.shares.shape != groups.shape:
            raise ConfigError(f"{len(groups)} features in groups, and shares of {len(self.shares)}")

    @property
    def matrix(self) -> Any:
        """Membership matrix, features × groups, as scipy's CSR: 1 or the share for each member."""
        from scipy import sparse

        members = np.flatnonzero(self.groups >= 0)
        values = np.ones(len(members)) if self.shares is None else self.shares[members]
        entries = (values, (members, self.groups[members]))
        return sparse.csr_matrix(entries, shape=(len(self.groups), self.size))

    def resized(self, columns: int) -> Projection:
        """Extend the projection to `columns` features; new features belong to no group."""
        if columns == len(self.groups):
            return self
        shares = None if self.shares is None else resized(self.shares, columns, 1.0)
        return Projection(resized(self.groups, columns, -1), self.size, shares)

    def weights(self, weights: Floats) -> Floats:
        """Compute weights of groups: the mean over their members, 0 for an empty group.

        With shares, the least-squares fit to the members' weights.
        """
        members = self.groups >= 0
        if self.shares is not None:
            of, shares = self.groups[members], self.shares[members]
            given = np.bincount(of, weights=weights[members] * shares, minlength=self.size)
            squares = np.bincount(of, weights=shares * shares, minlength=self.size)
            return given / np.where(squares > 0, squares, 1.0)
        sums = np.bincount(self.groups[members], weights=weights[members], minlength=self.size)
        sizes = np.bincount(self.groups[members], minlength=self.size)
        return sums / np.maximum(sizes, 1)

    def holding(self, features: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return a mask of the groups that have one of these features."""
        held = np.zeros(self.size, dtype=bool)
        held[self.groups[features & (self.groups >= 0)]] = True
        return held

    def without(self, features: NDArray[np.bool_]) -> Projection:
        """Remove these features from their groups; empty groups are removed."""
        kept = np.where(features, -1, self.groups)
        left, numbers = np.unique(kept[kept >= 0], return_inverse=True)
        kept[kept >= 0] = numbers
        return Projection(kept, len(left), self.shares)

    def unpack(self, weights: Floats) -> Floats:
        """Compute weights of features: the weight of their group, times their share; 0 without a group."""
        found: Floats = np.append(weights, 0.0)[self.groups]
        return found if self.shares is None else found * self.shares

    def shared_out(self, shares: Floats, grouped: NDArray[np.bool_]) -> Projection:
        """Return the groups with these shares of `grouped` features."""
        return Projection(self.groups, self.size, np.where(grouped, shares, 1.0))

    @classmethod
    def only(cls, features: NDArray[np.bool_]) -> Projection:
        """Return a projection where each of these features is its own group; the others take no part."""
        groups = np.full(len(features), -1)
        groups[features] = np.arange(np.count_nonzero(features))
        return cls(groups, int(np.count_nonzero(features)))

    @classmethod
    def beside_alone(cls, groups: NDArray[np.int64], grouped: NDArray[np.bool_]) -> Projection:
        """Make every feature that is not `grouped` its own group; the given groups follow.

        groups: for each feature the number of its group, -1 for none; ignored for ungrouped features.
        """
        alone = int(np.count_nonzero(~grouped))
        found: NDArray[np.int64] = np.where(groups >= 0, groups + alone, -1)
        found[~grouped] = np.arange(alone)
        return cls(found, alone + int(groups[grouped].max(initial=-1)) + 1)

    @classmethod
    def by_value(cls, weights: Floats, grouped: NDArray[np.bool_]) -> Projection:
        """Group features of equal weight.

        Features of weight 0 are in no group (D(W) of Liu et al. 2013). +v and -v are two groups.

        grouped: features to group; every other feature is its own group.
        """
        groups = np.full(len(weights), -1)
        members = np.flatnonzero(grouped & (weights != 0))
        groups[members] = np.unique(weights[members], return_inverse=True)[1]
        return cls.beside_alone(groups, grouped)

    @classmethod
    def by_rank(cls, weights: Floats, grouped: NDArray[np.bool_], bins: int) -> Projection:
        """Divide features with a weight, in ascending order, into `bins` groups of equal size.

        Equal weights may be separated by a border, in the order of the features. grouped: as in `by_value`.
        """
        groups = np.full(len(weights), -1)
        members = np.flatnonzero(grouped & (weights != 0))
        order = members[np.argsort(weights[members], kind="stable")]
        groups[order] = np.arange(len(order)) * min(bins, len(order)) // max(len(order), 1)
        return cls.beside_alone(groups, grouped)

    def shuffled(self, grouped: NDArray[np.bool_], seed: int) -> Projection:
        """Draw random members for groups of these sizes among the `grouped` features that have a group.

        Shares belong to the places in a group, so that they are random too.
        """
        members = np.flatnonzero(grouped & (self.groups >= 0))
        groups, shares = self.groups.copy(), self.shares
        order = np.random.default_rng(seed).permutation(len(members))
        groups[members] = groups[members][order]
        if shares is not None:
            shares = shares.copy()
            shares[members] = shares[members][order]
        return Projection(groups, self.size, shares)
