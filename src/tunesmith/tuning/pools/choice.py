"""Which candidate of each sentence is chosen, and what the metric says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunesmith.metrics import Metric
from tunesmith.search.candidates import CandidateSet

Floats = NDArray[np.float64]
References = Sequence[Sequence[str]]


def best_of_each(values: Floats, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """For every sentence with candidates the index of its highest value, the first of several."""
    begins = offsets[:-1][offsets[1:] > offsets[:-1]]
    if not begins.size:
        return np.empty(0, dtype=np.int64)
    sizes = np.diff(np.append(begins, offsets[-1]))
    highest = np.repeat(np.maximum.reduceat(values, begins), sizes)
    at = np.flatnonzero(values == highest)
    _, first = np.unique(np.searchsorted(begins, at, side="right"), return_index=True)
    return at[first]


@dataclass(frozen=True)
class Chosen:
    """What weights prefer: one candidate of each sentence that has any, and the metric of them all.

    length_ratio: None where the metric does not know it.
    """

    candidates: NDArray[np.int64]
    score: float
    length_ratio: float | None


def choose(candidates: CandidateSet, weights: Floats, metric: Metric, *, threads: int = 1) -> Chosen:
    """The candidates that these weights prefer."""
    best = best_of_each(candidates.scores(weights, threads=threads), np.asarray(candidates.offsets))
    assert candidates.statistics is not None
    totals = candidates.statistics[best].sum(axis=0, dtype=np.float64)
    return Chosen(best, float(metric.score(totals)), metric.details(totals).get("length_ratio"))


def word_ratio(candidates: CandidateSet, chosen: NDArray[np.int64], references: References) -> float | None:
    """Words of these candidates over words of the references of the same sentences, by their mean length."""
    if candidates.words is None:
        return None
    words = np.diff(candidates.words.offsets)[chosen].sum()
    sentences = np.searchsorted(candidates.offsets, chosen, side="right") - 1
    lengths = [[len(text.split()) for text in references[at] if text.strip()] for at in sentences.tolist()]
    expected = sum(sum(each) / len(each) for each in lengths if each)
    return float(words / expected) if expected else None
