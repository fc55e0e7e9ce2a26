"""The best candidate of each list."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def best_of_each(values: Floats, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """For every sentence with candidates the index of its highest value, the first of several."""
    begins = offsets[:-1][offsets[1:] > offsets[:-1]]
    if not begins.size:
        return np.empty(0, dtype=np.int64)
    sizes = np.diff(np.append(begins, offsets[-1]))
    highest = np.repeat(np.maximum.reduceat(values, begins), sizes)
    at = np.flatnonzero(values == highest)
    _, first = np.unique(np.searchsorted(begins, at, side="right"), return_index=True)
    return at[first]
