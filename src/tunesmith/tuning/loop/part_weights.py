"""Weights for the next decoding of the training data, a vector for each of its parts, among a state's arrays."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import FormatError
from tunesmith.tuning.pools.base import Floats

Arrays = Mapping[str, NDArray[Any]]

BY_PART = {each: f"by part {each}" for each in ("offsets", "columns", "weights")}
"""Names of the arrays: cut at the offsets, the columns that are not 0 and their weights."""


def packed_by_part(rows: Sequence[Floats]) -> dict[str, NDArray[Any]]:
    """Return vectors of which most is 0, as these arrays."""
    columns = [np.flatnonzero(row) for row in rows]
    return {
        BY_PART["offsets"]: np.cumsum([0, *map(len, columns)]),
        BY_PART["columns"]: np.concatenate(columns),
        BY_PART["weights"]: np.concatenate([row[at] for row, at in zip(rows, columns, strict=True)]),
    }


def weights_by_part(arrays: Arrays, columns: int) -> Floats | None:
    """Return the vectors as rows of one width, the number of features; None where there are none."""
    if BY_PART["offsets"] not in arrays:
        return None
    offsets, at, weights = (arrays[BY_PART[each]] for each in ("offsets", "columns", "weights"))
    rows = np.zeros((len(offsets) - 1, columns))
    rows[np.repeat(np.arange(len(rows)), np.diff(offsets)), at] = weights
    return rows


def check_part_weights(arrays: Arrays) -> None:
    """Raise FormatError where the arrays that were read back do not fit each other."""
    parts = {each: arrays[name] for each, name in BY_PART.items() if name in arrays}
    if parts:
        if len(parts) < len(BY_PART):
            raise FormatError("an array of the weights by part is missing")
        offsets, columns, weights = (parts[each] for each in BY_PART)
        whole = offsets.dtype.kind == columns.dtype.kind == "i" and weights.dtype == np.float64
        if (
            not (whole and offsets.size and offsets[0] == 0 and np.all(np.diff(offsets) >= 0))
            or not offsets[-1] == len(columns) == len(weights)
            or (columns.size and columns.min() < 0)
        ):
            raise FormatError("the arrays of the weights by part do not fit each other")


def without_part_weights(arrays: Arrays) -> Arrays:
    """Return the other arrays: weights by part are used once."""
    return {name: each for name, each in arrays.items() if name not in BY_PART.values()}
