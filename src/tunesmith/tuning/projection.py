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

    def weights(self, weights: Floats) -> Floats:
        """Weights of groups: the mean over their members, 0 for a group without any."""
        members = self.groups >= 0
        sums = np.bincount(self.groups[members], weights=weights[members], minlength=self.size)
        sizes = np.bincount(self.groups[members], minlength=self.size)
        means: Floats = sums / np.maximum(sizes, 1)
        return means

    def unpack(self, weights: Floats) -> Floats:
        """Weights of features: that of their group, 0 without one."""
        return np.append(weights, 0.0)[self.groups]
