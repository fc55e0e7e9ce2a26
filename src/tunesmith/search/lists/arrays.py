"""Arrays of a candidate set by name: their files, and how merging and appending treat each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.search.lists.matrix import Arrays
from tunesmith.search.lists.words import WordLists

if TYPE_CHECKING:
    from tunesmith.search.lists.candidates import CandidateSet

ROWS = ("dense", "states", "statistics", "model_scores")
"""One row per candidate."""
RAGGED = {
    "sparse_offsets": ("sparse_ids", "sparse_values"),
    "word_offsets": ("word_ids",),
    "rest_offsets": ("rest_ids",),
    "rule_offsets": ("rules",),
    "state_offsets": ("state_pair_ids", "state_pair_values"),
}
"""Offsets per candidate, and the items that they divide into sequences (in the flat form of a matrix)."""
FIXED = ("dense_ids", "stated_ids", "state_ids")
"""Arrays that all candidates share."""
OFFSETS = ("offsets", "rule_list_offsets", *RAGGED)
"""Arrays of offsets, which count from the first item."""

_VALUES = "<f4/<f8"
TYPES = {
    "offsets": "<i8:1",
    "dense_ids": "<u4:1",
    "stated_ids": "<u4:1",
    "dense": f"{_VALUES}:2",
    "sparse_offsets": "<i8:1",
    "sparse_ids": "<u4:1",
    "sparse_values": f"{_VALUES}:1",
    "rule_list_offsets": "<i8:1",
    "rule_list": "<u4:1",
    "rule_offsets": "<i8:1",
    "rule_places": "<u2/<u4:1",
    "state_ids": "<u4:1",
    "states": "<f4:2",
    "state_offsets": "<i8:1",
    "state_pair_ids": "<u4:1",
    "state_pair_values": "<f4:1",
    "word_ids": "<u4:1",
    "word_offsets": "<i8:1",
    "rest_ids": "<u4:1",
    "rest_offsets": "<i8:1",
    "statistics": "<i4/<f8:2",
    "model_scores": "<f8:1",
}
"""Types and dimensions of the files, for `tunesmith.io.arrays.read_arrays`."""


def arrays_of(candidates: CandidateSet, *, flat: bool = False) -> Arrays:
    """Return every array of the set, its matrix in stored or flat form."""
    matrix = candidates.matrix
    arrays: Arrays = {"offsets": candidates.offsets, **(matrix.flat() if flat else matrix.arrays())}
    if candidates.words is not None:
        arrays |= {"word_ids": candidates.words.ids, "word_offsets": candidates.words.offsets}
    if candidates.rest is not None:
        arrays |= {"rest_ids": candidates.rest.ids, "rest_offsets": candidates.rest.offsets}
    if candidates.statistics is not None:
        arrays["statistics"] = candidates.statistics
    if candidates.model_scores is not None:
        arrays["model_scores"] = candidates.model_scores
    return arrays


def set_of(arrays: Arrays, like: CandidateSet, columns: int | None = None) -> CandidateSet:
    """Build a set from arrays, with the names, vocabularies and kind of matrix of another set."""
    from tunesmith.search.lists.candidates import CandidateSet

    return CandidateSet(
        like.matrix.from_arrays(arrays, like.columns if columns is None else columns),
        arrays["offsets"],
        features=like.features,
        statistics=arrays.get("statistics"),
        words=_words(arrays, "word", like.words),
        model_scores=arrays.get("model_scores"),
        rest=_words(arrays, "rest", like.rest),
    )


def _words(arrays: Arrays, kind: str, like: WordLists | None) -> WordLists | None:
    if f"{kind}_ids" not in arrays or like is None:
        return None
    return WordLists(like.vocabulary, arrays[f"{kind}_ids"], arrays[f"{kind}_offsets"])


def as_bytes(array: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
