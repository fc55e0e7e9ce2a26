"""Lists that cannot be tuned on, named before they are used.

Checks raise FormatError when tuning would be of no use, and return notes, by kind, on what a user should know.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import FormatError
from tunesmith.metrics import Metric
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.plain import PlainMatrix
from tunesmith.tuning.messages import feature_names, sentence_numbers
from tunesmith.tuning.pools.gains import best_of_each, blocks

Floats = NDArray[np.float64]
LACKING, LACKING_FROM = 0.005, 1000
"""A feature that at most this share of at least this number of candidates lacks is missing by mistake."""


def check_values(candidates: CandidateSet, metric: Metric) -> dict[str, str]:
    """Check what a decoder or file gave: some list is not empty, all numbers are finite."""
    if not len(candidates):
        raise FormatError(
            "there are no candidates: every list is empty. Look at what the decoder or the file gives"
        )
    _check_statistics(candidates, metric)
    _check_features(candidates)
    empty = np.flatnonzero(np.diff(candidates.offsets) == 0)
    if not empty.size:
        return {}
    return {"no candidates": f"{sentence_numbers(empty)} without candidates; left out of tuning and of the score"}


def check_choice(candidates: CandidateSet, metric: Metric) -> dict[str, str]:
    """Check what is tuned on: weights can change the choice, and the choice the metric."""
    if np.diff(candidates.offsets).max() == 1:
        raise FormatError("every list has one candidate, so weights change nothing. Make longer lists (--k 100)")
    _check_metric(candidates, metric)
    notes = {}
    begins, sentences = _spans(candidates)
    random = np.random.default_rng(1)  # candidates with the same score under random weights have the same features
    same = _all_equal(candidates.scores(random.standard_normal(candidates.columns)), begins)
    zero = candidates.zero_columns()
    if len(zero) == candidates.columns:
        raise FormatError("all features of all candidates are zero, so weights change nothing")
    if same.all():
        raise FormatError(
            "the candidates of every sentence have identical features, so no weights can tell them apart"
        )
    alike = sentences[same & (np.diff(np.append(begins, len(candidates))) > 1)]
    if alike.size:
        notes["identical"] = f"{sentence_numbers(alike)} whose candidates have identical features"
    if len(zero):
        names = feature_names(candidates.features, zero)
        notes["zero features"] = f"{len(zero)} of {candidates.columns} features are zero in all lists: {names}"
    return notes | _lacking_features(candidates)


def _lacking_features(candidates: CandidateSet) -> dict[str, str]:
    """Note features that a few of thousands of candidates lack: a mistake of the program that made the list."""
    matrix, rows = candidates.matrix, len(candidates)
    if not isinstance(matrix, PlainMatrix) or rows < LACKING_FROM:
        return {}
    lacking = rows - np.count_nonzero(matrix.dense, axis=0)
    few = np.flatnonzero((lacking > 0) & (lacking <= LACKING * rows))
    numbers = matrix.dense_ids[few]
    stated = np.zeros(0, np.uint32) if matrix.stated is None else matrix.stated
    few = few[~np.isin(numbers, stated)]
    if not few.size:
        return {}
    first = int(np.flatnonzero(matrix.dense[:, few[0]] == 0)[0])
    names = feature_names(candidates.features, matrix.dense_ids[few].astype(np.int64))
    what = "features are" if few.size > 1 else "feature is"
    return {
        "lacking features": f"{few.size} {what} missing or 0 in a few of {rows} candidates ({names}; "
        f"{int(lacking[few[0]])} of them, the first is {_candidate(candidates, first)}). A missing value counts "
        "as 0, which for a log-probability is the best there is: complete the list, or leave those lines out"
    }


def _check_statistics(candidates: CandidateSet, metric: Metric) -> None:
    statistics = candidates.statistics
    assert statistics is not None
    if statistics.shape != (len(candidates), metric.width):
        raise FormatError(
            f"the lists carry statistics of {statistics.shape[1]} numbers, {metric.label} has {metric.width}; "
            "tune towards the metric the lists were scored with"
        )
    if statistics.dtype.kind == "f" and not np.isfinite(statistics).all():
        row = int(np.flatnonzero(~np.isfinite(statistics).all(axis=1))[0])
        raise FormatError(f"{_candidate(candidates, row)} has statistics of {metric.label} that are not finite")


def _check_features(candidates: CandidateSet) -> None:
    # Ones, not zeros: a kernel may skip features without weight. A sum is finite only if all its parts are.
    bad = np.flatnonzero(~np.isfinite(candidates.scores(np.ones(candidates.columns))))
    if not bad.size:
        return
    row = candidates.rows(bad[:1])
    wrong = ~np.isfinite(row.data)
    what = "a feature sum"
    if wrong.any():
        what = f"the feature {feature_names(candidates.features, row.indices[wrong][:1])} = {row.data[wrong][0]}"
    raise FormatError(
        f"{_candidate(candidates, int(bad[0]))} has {what}, which is not a finite number ({bad.size} such "
        "candidates). Correct the features, or leave those candidates out"
    )


def _check_metric(candidates: CandidateSet, metric: Metric) -> None:
    statistics = candidates.statistics
    assert statistics is not None
    begins, _ = _spans(candidates)
    single, mixed = np.empty(len(statistics)), np.empty(len(statistics))
    factors = np.random.default_rng(1).random(statistics.shape[1])
    for part, rows in blocks(statistics):
        single[part] = metric.sentence_scores(rows)
        mixed[part] = (rows * factors).sum(axis=1)
    best = best_of_each(single if metric.higher_is_better else -single, candidates.offsets)
    oracle = statistics[best].sum(axis=0, dtype=np.float64)
    if metric.higher_is_better and (not single.any() or not float(metric.score(oracle))):
        raise FormatError(
            f"{metric.label} is 0 for the best candidates there are. Do the references belong to these sentences, "
            "in this order, and are both sides tokenised alike?"
        )
    if (_all_equal(mixed, begins) & _all_equal(single, begins)).all():
        raise FormatError(
            f"the candidates of every sentence have the same {metric.label}, so no weights are better than others"
        )


def _spans(candidates: CandidateSet) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the lists begin, and whose they are, of sentences that have candidates."""
    sentences = np.flatnonzero(np.diff(candidates.offsets) > 0)
    return np.asarray(candidates.offsets)[sentences], sentences


def _all_equal(values: Floats, begins: NDArray[np.int64]) -> NDArray[np.bool_]:
    return np.equal(np.maximum.reduceat(values, begins), np.minimum.reduceat(values, begins))


def _candidate(candidates: CandidateSet, row: int) -> str:
    sentence = int(np.searchsorted(candidates.offsets, row, side="right")) - 1
    return f"candidate {row - int(candidates.offsets[sentence]) + 1} of sentence {sentence + 1}"
