"""Support of features: the number of sentences where they fire."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunesmith import _core
from tunesmith.errors import core_errors
from tunesmith.search.lists.candidates import CandidateSet


def sentence_support(
    candidates: CandidateSet, groups: ArrayLike | None = None, size: int | None = None, *, threads: int = 1
) -> NDArray[np.int64]:
    """Count for every feature the sentences where some candidate has it.

    groups: group of each feature, -1 for none; then counts for each of `size` groups the sentences where some
    candidate has a feature of the group.
    """
    numbers = None if groups is None else np.ascontiguousarray(groups, dtype=np.int64)
    if numbers is not None and size is None:
        size = int(numbers.max(initial=-1)) + 1
    with core_errors(None):
        return _core.sentence_support(candidates.native, numbers, size or 0, threads)


def support_by_fold(candidates: CandidateSet, parts: ArrayLike, count: int) -> NDArray[np.int64]:
    """Count for every part of the sentences (rows) and every feature the sentences where some candidate has it."""
    with core_errors(None):
        found = _core.support_by_fold(candidates.native, np.ascontiguousarray(parts, dtype=np.int64), count)
    return found.reshape(count, candidates.columns)
