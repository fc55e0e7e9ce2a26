"""Shortest texts of numbers, equal to those of the core."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.plain import PlainMatrix


def short_values(candidates: CandidateSet, values: NDArray[np.float64]) -> list[float]:
    """Convert feature values to the numbers to write: float32 values become the number with the shortest text."""
    matrix = candidates.matrix
    if isinstance(matrix, PlainMatrix) and matrix.dense.dtype == np.float32:
        return [float(str(value)) for value in values.astype(np.float32)]
    numbers: list[float] = values.tolist()
    return numbers
