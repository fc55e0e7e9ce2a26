"""Agreement of two partitions of a set."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunesmith.errors import ConfigError


def adjusted_rand_index(one: ArrayLike, other: ArrayLike) -> float:
    """Compute the share of pairs on which the partitions agree, adjusted for chance.

    Hubert and Arabie (1985), Eq. 5: 1 for equal partitions, about 0 for independent ones, negative for less than
    chance. `one` and `other` name the group of each thing.
    """
    a, b = np.asarray(one), np.asarray(other)
    if a.shape != b.shape or a.ndim != 1:
        raise ConfigError(f"expected two lists of the same length, got the shapes {a.shape} and {b.shape}")
    rows, first = np.unique(a, return_inverse=True)
    columns, second = np.unique(b, return_inverse=True)
    cells = np.unique(first.astype(np.int64) * len(columns) + second, return_counts=True)[1]
    both = _pairs(cells)
    of_one = _pairs(np.bincount(first, minlength=len(rows)))
    of_other = _pairs(np.bincount(second, minlength=len(columns)))
    all_pairs = len(a) * (len(a) - 1) / 2
    expected = of_one * of_other / all_pairs if all_pairs else 0.0
    most = (of_one + of_other) / 2
    if most == expected:  # both are a single group, or all singletons: they cannot differ
        return 1.0
    return (both - expected) / (most - expected)


def _pairs(sizes: NDArray[np.int64]) -> float:
    """Count pairs within groups of these sizes."""
    counts = sizes.astype(np.float64)
    return float((counts * (counts - 1) / 2).sum())
