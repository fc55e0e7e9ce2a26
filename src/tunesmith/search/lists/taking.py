"""Selecting and reordering candidates of a set: sorted, shortened, reranked lists."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.search.lists.arrays import FIXED, RAGGED, ROWS, arrays_of, set_of
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.matrix import Arrays
from tunesmith.search.lists.plain import PlainMatrix
from tunesmith.search.lists.words import WordLists

Integers = NDArray[np.int64]


def take(candidates: CandidateSet, indices: Integers, offsets: Integers) -> CandidateSet:
    """Return the candidates `indices` as lists given by `offsets`.

    Values are kept; the matrix becomes a plain one.
    """
    if indices.size and not (indices.min() >= 0 and indices.max() < len(candidates)):
        raise ConfigError(f"candidates must be from 0 to {len(candidates) - 1}")
    stated = candidates.matrix.stated if isinstance(candidates.matrix, PlainMatrix) else None
    return CandidateSet(
        PlainMatrix.from_csr(candidates.rows(indices), stated),
        offsets,
        features=list(candidates.features)[: candidates.columns],
        statistics=_rows(candidates.statistics, indices),
        words=_lists(candidates.words, indices),
        model_scores=_rows(candidates.model_scores, indices),
        rest=_lists(candidates.rest, indices),
    )


def sorted_by(candidates: CandidateSet, scores: NDArray[np.float64], most: int | None = None) -> CandidateSet:
    """Sort every list by descending score (ties by position) and keep at most `most` candidates.

    The scores become those of the lists.
    """
    if scores.shape != (len(candidates),):
        raise ConfigError(f"scores of shape {scores.shape} for {len(candidates)} candidates")
    order = np.lexsort((np.arange(len(scores)), -scores, candidates.sentence_of))
    sizes = np.diff(candidates.offsets)
    if most is not None:
        place = np.arange(len(order)) - np.repeat(candidates.offsets[:-1], sizes)
        order = order[place < most]
        sizes = np.minimum(sizes, most)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    return take(candidates, order, offsets).replaced(model_scores=np.ascontiguousarray(scores[order]))


def sentences_in_order(candidates: CandidateSet, sentences: Integers) -> CandidateSet:
    """Return the lists of these sentences, in this order; the kind of matrix stays."""
    if sentences.size and not 0 <= sentences.min() <= sentences.max() < candidates.sentences:
        raise ConfigError(f"sentences must be from 0 to {candidates.sentences - 1}")
    if np.array_equal(sentences, np.arange(candidates.sentences)):
        return candidates
    given = arrays_of(candidates, flat=True)
    offsets, rows = _taken_places(candidates.offsets, sentences)
    found: Arrays = {"offsets": offsets, **{name: given[name] for name in FIXED if name in given}}
    found |= {name: np.ascontiguousarray(given[name][rows]) for name in ROWS if name in given}
    for cut, items in RAGGED.items():
        if cut in given:
            found[cut], places = _taken_places(given[cut], rows)
            found |= {name: given[name][places] for name in items}
    return set_of(found, candidates)


def _taken_places(offsets: Integers, chosen: Integers) -> tuple[Integers, Integers]:
    """Return offsets of the concatenated chosen sequences, and the old places of their items."""
    sizes = np.diff(offsets)[chosen]
    taken = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return taken, np.arange(int(taken[-1])) + np.repeat(offsets[:-1][chosen] - taken[:-1], sizes)


def _rows(array: NDArray[Any] | None, indices: Integers) -> NDArray[Any] | None:
    return None if array is None else np.ascontiguousarray(array[indices])


def _lists(lists: WordLists | None, indices: Integers) -> WordLists | None:
    if lists is None:
        return None
    offsets, places = _taken_places(lists.offsets, indices)
    return WordLists(lists.vocabulary, lists.ids[places], offsets)
