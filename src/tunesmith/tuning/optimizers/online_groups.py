"""Groups of features that online OSCAR has given equal weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunesmith.tuning.objectives import Floats

TIED = 1e-9
"""Averages with a relative difference of at most this are equal: sums in different orders."""


def groups_by_sign(numbers: NDArray[np.int64], weights: Floats) -> NDArray[np.int64]:
    """Split groups of |w| by sign, numbered from the highest weight to the lowest."""
    count = int(numbers.max(initial=-1)) + 1
    # Positive groups in their order, then the negative ones from the smallest |w| on.
    keys = np.where(weights > 0, numbers, 2 * count - 1 - numbers)
    keys[(numbers < 0) | (weights == 0)] = -1
    return _compact(keys)


def groups_by_value(weights: Floats) -> NDArray[np.int64]:
    """Group averaged weights, numbered from the highest weight to the lowest."""
    order = np.argsort(-weights, kind="stable")
    ordered = weights[order]
    apart = np.ones(len(weights), dtype=np.bool_)
    apart[1:] = ordered[:-1] - ordered[1:] > TIED * np.abs(ordered[1:])
    keys = np.empty(len(weights), dtype=np.int64)
    keys[order] = np.cumsum(apart)
    keys[weights == 0] = -1
    return _compact(keys)


def _compact(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Renumber keys of at least 0 as 0, 1, 2 …, in their order; -1 stays."""
    used = np.unique(keys[keys >= 0])
    return np.where(keys >= 0, np.searchsorted(used, keys), -1)
