"""Vectors for features that grow in number while a run decodes: the one place that pads and cuts them."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Scalar = TypeVar("Scalar", np.float64, np.int64)


def grown(vector: NDArray[Scalar], size: int, fill: float = 0) -> NDArray[Scalar]:
    """The vector with `fill` for features that became known since; the same object where it is long enough."""
    more = size - len(vector)
    return vector if more <= 0 else np.concatenate([vector, np.full(more, fill, dtype=vector.dtype)])


def resized(vector: NDArray[Scalar], size: int, fill: float = 0) -> NDArray[Scalar]:
    """The vector for exactly so many features: the same object where it has that size."""
    return vector[:size] if len(vector) > size else grown(vector, size, fill)
