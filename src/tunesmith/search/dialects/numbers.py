"""Numbers as text: read as strictly as the core reads them, written as short as it writes them."""

from __future__ import annotations

import math
import re

import numpy as np
from numpy.typing import NDArray

from tunesmith.search.candidates import CandidateSet
from tunesmith.search.dialects.rows import BadRowError
from tunesmith.search.plain import PlainMatrix

_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)


def number_of(text: str, what: str) -> float:
    """A finite decimal number; float() alone would also read 1_000, ２ and nan."""
    stripped = text.strip(" \t")
    value = float(stripped) if _NUMBER.fullmatch(stripped) else math.nan
    if not math.isfinite(value):
        raise BadRowError(f"{what} {text[:40]!r} is not a finite number")
    return value


def short_values(candidates: CandidateSet, values: NDArray[np.float64]) -> list[float]:
    """Feature values as the numbers to write: where the set keeps floats, their shortest text is meant."""
    matrix = candidates.matrix
    if isinstance(matrix, PlainMatrix) and matrix.dense.dtype == np.float32:
        return [float(str(value)) for value in values.astype(np.float32)]
    numbers: list[float] = values.tolist()
    return numbers
