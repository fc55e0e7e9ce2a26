"""No run ends well with dead weights.

Data that cannot be tuned on is named before it is used, weights that cannot be used before they are kept. Checks
raise FormatError when going on would be of no use, and return notes, by kind, on what a user should know.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import FormatError
from tunesmith.metrics import Metric
from tunesmith.search.candidates import CandidateSet
from tunesmith.tuning.feature_names import name_of
from tunesmith.tuning.loop.history import History
from tunesmith.tuning.pools.choice import best_of_each

Floats = NDArray[np.float64]

LENGTH_RATIOS = (0.8, 1.25)
"""Outside of these the output is named too short or too long."""
FALLING_ROUNDS = 3
"""A run whose lengths are off stops when its score has fallen for so many rounds as well."""
_NAMED = 5
_ROWS_AT_ONCE = 200_000  # statistics of so many candidates exist as float64 at once
_DATA = {"dev": "development", "train": "training"}


def check_references(references: Sequence[Sequence[str]], data: str = "dev") -> dict[str, str]:
    """Sentences must have references, and references words."""
    missing = [at for at, each in enumerate(references) if not any(text.strip() for text in each)]
    if not references or len(missing) == len(references):
        raise FormatError(
            f"every reference of the {_DATA.get(data, data)} data is empty; without references there is nothing "
            "to tune towards"
        )
    if missing:
        where = "" if data == "dev" else f" of the {_DATA.get(data, data)} data"
        told = f"{_lines(missing)}{where} without a word in any reference; nothing can match there"
        return {f"empty references {data}": told}
    return {}


def check_values(candidates: CandidateSet, metric: Metric) -> dict[str, str]:
    """What a decoder or file gave: lists that are not all empty, numbers that are finite."""
    if not len(candidates):
        raise FormatError(
            "there are no candidates: every list is empty. Look at what the decoder or the file gives"
        )
    _check_statistics(candidates, metric)
    _check_features(candidates)
    empty = np.flatnonzero(np.diff(candidates.offsets) == 0)
    if not empty.size:
        return {}
    return {"no candidates": f"{_lines(empty)} without candidates; left out of tuning and of the score"}


def check_choice(candidates: CandidateSet, metric: Metric) -> dict[str, str]:
    """What is tuned on: weights must be able to change the choice, and the choice the metric."""
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
        notes["identical"] = f"{_lines(alike)} whose candidates have identical features"
    if len(zero):
        names = _names(candidates.features, zero)
        notes["zero features"] = f"{len(zero)} of {candidates.columns} features are zero in all lists: {names}"
    return notes


def check_weights(weights: Floats, features: Any, regularizer: object = None) -> None:
    """Weights that are numbers, and not all zero."""
    if not np.isfinite(weights).all():
        bad = np.flatnonzero(~np.isfinite(weights))
        raise FormatError(
            f"the optimizer gave weights that are no numbers: {_names(features, bad)}. Feature values that are "
            "very large, or a step that is too long, do so; the best weights so far are kept"
        )
    if not weights.any():
        cause = (
            ""
            if regularizer is None
            else f": the penalty {regularizer} is too strong for this loss. Make it weaker"
        )
        raise FormatError(f"all weights are zero{cause}; the best weights so far are kept")


def length_warning(ratio: float | None) -> str | None:
    """What to say about a length ratio, None when it is as it should be."""
    low, high = LENGTH_RATIOS
    if ratio is None or low <= ratio <= high:
        return None
    what = "short" if ratio < low else "long"
    return f"the output is too {what}: its length is {ratio:.2f} of the references' ({low} to {high} is usual)"


def hopeless(history: History) -> str | None:
    """Why a run should end: lengths are off and the score has been falling; None while there is hope."""
    if not len(history) or history.falling() < FALLING_ROUNDS:
        return None
    warning = length_warning(history[-1].length_ratio)
    return None if warning is None else f"{warning}, and the score has fallen for {FALLING_ROUNDS} rounds"


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
        raise FormatError(f"{_candidate(candidates, row)} has statistics of {metric.label} that are no numbers")


def _check_features(candidates: CandidateSet) -> None:
    # Ones, not zeros: a kernel may skip features without weight. A sum is finite only if all its parts are.
    bad = np.flatnonzero(~np.isfinite(candidates.scores(np.ones(candidates.columns))))
    if not bad.size:
        return
    row = candidates.rows(bad[:1])
    which = row.indices[~np.isfinite(row.data)]
    value = row.data[~np.isfinite(row.data)]
    what = f"the feature {_names(candidates.features, which[:1])} = {value[0]}" if which.size else "a feature sum"
    raise FormatError(
        f"{_candidate(candidates, int(bad[0]))} has {what}, which is no number ({bad.size} such candidates). "
        "Mend the features, or leave those candidates out"
    )


def _check_metric(candidates: CandidateSet, metric: Metric) -> None:
    statistics = candidates.statistics
    assert statistics is not None
    begins, _ = _spans(candidates)
    single, mixed = np.empty(len(statistics)), np.empty(len(statistics))
    factors = np.random.default_rng(1).random(statistics.shape[1])
    for begin in range(0, len(statistics), _ROWS_AT_ONCE):
        rows = statistics[begin : begin + _ROWS_AT_ONCE].astype(np.float64)
        single[begin : begin + _ROWS_AT_ONCE] = metric.sentence_scores(rows)
        mixed[begin : begin + _ROWS_AT_ONCE] = (rows * factors).sum(axis=1)
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
    """Where the lists begin, and whose they are, of sentences that have candidates."""
    sentences = np.flatnonzero(np.diff(candidates.offsets) > 0)
    return np.asarray(candidates.offsets)[sentences], sentences


def _all_equal(values: Floats, begins: NDArray[np.int64]) -> NDArray[np.bool_]:
    same: NDArray[np.bool_] = np.maximum.reduceat(values, begins) == np.minimum.reduceat(values, begins)
    return same


def _candidate(candidates: CandidateSet, row: int) -> str:
    sentence = int(np.searchsorted(candidates.offsets, row, side="right")) - 1
    return f"candidate {row - int(candidates.offsets[sentence]) + 1} of sentence {sentence + 1}"


def _lines(numbers: Iterable[int]) -> str:
    found = [int(number) + 1 for number in numbers]
    shown = ", ".join(map(str, found[:_NAMED])) + (", …" if len(found) > _NAMED else "")
    return f"{len(found)} sentences ({shown})" if len(found) > 1 else f"sentence {shown}"


def _names(features: Any, ids: NDArray[np.int64]) -> str:
    shown = ", ".join(name_of(features, int(at)) for at in ids[:_NAMED])
    return shown + (", …" if len(ids) > _NAMED else "")
