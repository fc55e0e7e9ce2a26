"""Padding and cutting vectors while the number of features grows during a run."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Scalar = TypeVar("Scalar", np.float64, np.int64)


def grown(vector: NDArray[Scalar], size: int, fill: float = 0) -> NDArray[Scalar]:
    """Pad the vector with `fill` for new features; returns the vector itself if it is long enough."""
    more = size - len(vector)
    return vector if more <= 0 else np.concatenate([vector, np.full(more, fill, dtype=vector.dtype)])


def resized(vector: NDArray[Scalar], size: int, fill: float = 0) -> NDArray[Scalar]:
    """Pad or cut the vector to `size`; returns the vector itself if it has that size."""
    return vector[:size] if len(vector) > size else grown(vector, size, fill)
