"""Joining candidate sets: merging lists of many rounds, or concatenating sets of consecutive sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.features.matrix import FeatureMatrix
from tunesmith.io import StrPath
from tunesmith.search.lists.arrays import FIXED, OFFSETS, RAGGED, ROWS, arrays_of, as_bytes, set_of
from tunesmith.search.lists.candidate_writer import CandidateWriter
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.common import Common
from tunesmith.search.lists.factored import FactoredMatrix
from tunesmith.search.lists.matrix import Arrays

_PER_SENTENCE = ("offsets", "rule_list_offsets")
_AT_ONCE = 200_000  # candidates per part, for results on disk


def merge(sets: Sequence[CandidateSet], *, folder: StrPath | None = None, threads: int = 1) -> CandidateSet:
    """Merge the distinct candidates of several sets of one text.

    Two candidates of a sentence are equal if they have equal words, stored features (integers and bytes, never
    sums of floats) and statistics. For each sentence the candidates of the first set come first, in order, then
    new candidates of the second set, and so on. Merging a single set removes its duplicates.

    folder: for the result, written all or nothing and memory-mapped; one of the given sets may be there. Only a
        part of it, and of mapped inputs, is then in memory at any time.
    """
    common = Common(sets)
    if folder is not None:
        with CandidateWriter(folder, common) as writer:
            for begin, end in _parts(sets):
                parts = [one.select(min(begin, one.sentences), min(end, one.sentences)) for one in sets]
                writer.append(merge_fitted([common.fit(part) for part in parts], threads=threads))
                for one in sets:
                    one.release()
        return CandidateSet.load(folder, _rule_features(sets[0]))
    return merge_fitted([common.fit(one) for one in sets], threads=threads)


def merge_fitted(sets: Sequence[CandidateSet], *, threads: int = 1) -> CandidateSet:
    """Merge sets that already have a common form."""
    plan = _core.MergePlan([_source(one) for one in sets], threads)
    given = [arrays_of(one, flat=True) for one in sets]
    merged: Arrays = {"offsets": plan.offsets()}
    # An empty set may have arrays of another width; its rows are not used.
    like = next((arrays for arrays, one in zip(given, sets, strict=True) if len(one)), given[0])
    for name in FIXED:
        if name in like:
            merged[name] = like[name]
    for name in ROWS:
        if name in like:
            flat = plan.rows([as_bytes(arrays[name]) for arrays in given]).view(like[name].dtype)
            merged[name] = flat.reshape((len(plan.index()), *like[name].shape[1:]))
    for offsets, items in RAGGED.items():
        if offsets in like:
            for name in items:
                cuts = [arrays[offsets] for arrays in given]
                size = like[name].dtype.itemsize
                merged[offsets], flat = plan.ragged(cuts, [as_bytes(arrays[name]) for arrays in given], size)
                merged[name] = flat.view(like[name].dtype)
    return set_of(merged, sets[0])


def concatenate(sets: Sequence[CandidateSet]) -> CandidateSet:
    """Concatenate sets of consecutive sentences: sentences of the second follow those of the first."""
    common = Common(sets)
    fitted = [common.fit(one) for one in sets]
    given = [arrays_of(one) for one in fitted]
    joined: Arrays = {}
    for name in given[0]:
        parts = [arrays[name] for arrays in given]
        if name in FIXED:
            joined[name] = parts[0]
        elif name in OFFSETS:
            ends = np.cumsum([0, *(int(part[-1]) for part in parts)])
            shifted = [part[1:] + end for part, end in zip(parts, ends[:-1], strict=True)]
            joined[name] = np.concatenate([parts[0][:1], *shifted])
        else:
            joined[name] = np.concatenate([part for part in parts if len(part)] or parts[:1])
    return set_of(joined, fitted[0])


def spread(candidates: CandidateSet, places: Sequence[int], sentences: int) -> CandidateSet:
    """Spread lists among more sentences, whose other lists are empty.

    places: new number of each sentence, ascending.
    """
    where = np.asarray(places, dtype=np.int64)
    if where.shape != (candidates.sentences,) or np.any(np.diff(where) <= 0):
        raise ConfigError(
            f"places must be {candidates.sentences} rising numbers, one for each sentence, got {len(where)}"
        )
    if where.size and not 0 <= where[0] <= where[-1] < sentences:
        raise ConfigError(f"places must be from 0 to {sentences - 1}")
    arrays = dict(arrays_of(candidates))
    before = np.searchsorted(where, np.arange(sentences + 1))  # number of earlier sentences
    for name in _PER_SENTENCE:
        if name in arrays:
            arrays[name] = arrays[name][before]
    return set_of(arrays, candidates)


def _parts(sets: Sequence[CandidateSet]) -> Iterator[tuple[int, int]]:
    """Yield ranges of sentences with a limited number of candidates, at least one sentence each."""
    sentences = max(one.sentences for one in sets)
    counts = np.zeros(sentences, dtype=np.int64)
    for one in sets:
        counts[: one.sentences] += np.diff(one.offsets)
    ends = np.cumsum(counts)
    begin = 0
    while begin < sentences or begin == 0:
        before = int(ends[begin - 1]) if begin else 0
        end = max(int(np.searchsorted(ends, before + _AT_ONCE, side="right")), begin + 1)
        end = min(end, sentences)
        yield begin, end
        if end == sentences:
            return
        begin = end


def _source(candidates: CandidateSet) -> _core.MergeSource:
    words = candidates.words
    statistics = candidates.statistics
    return _core.MergeSource(
        candidates.native,
        None,
        None if words is None else words.ids,
        None if words is None else words.offsets,
        None if statistics is None else as_bytes(statistics),
    )


def _rule_features(candidates: CandidateSet) -> FeatureMatrix | None:
    return candidates.matrix.rule_features if isinstance(candidates.matrix, FactoredMatrix) else None
