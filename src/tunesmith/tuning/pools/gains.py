"""Statistics of candidates, what a single candidate is worth (larger is better), and the best of each list."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.checks import at_least, finite, one_of
from tunesmith.errors import ConfigError, FormatError
from tunesmith.metrics.base import Metric, SentenceBleu
from tunesmith.metrics.sentence_bleu import SENTENCE_BLEU
from tunesmith.search.lists.candidates import CandidateSet

Floats = NDArray[np.float64]
BLOCK = 200_000  # rows that exist as float64 at once
SENTENCE_BLOCK = 20_000  # the same for gains of single candidates: metrics copy the rows they are given


def statistics_of(candidates: CandidateSet, metric: Metric) -> NDArray[Any]:
    """Return the candidates' statistics for kernels; ConfigError unless they are there and those of the metric."""
    if len(candidates) == 0:
        raise ConfigError("there are no candidates to tune on")
    statistics = kernel_statistics(candidates)
    if statistics.shape[1] != metric.width:
        raise ConfigError(
            f"the candidates have statistics of {statistics.shape[1]} numbers, {metric.label} has {metric.width}"
        )
    return statistics


def kernel_statistics(candidates: CandidateSet) -> NDArray[Any]:
    """Return the candidates' statistics in a type that kernels take."""
    statistics = candidates.statistics
    if statistics is None:
        raise ConfigError("the candidates have no statistics of a metric. Give them some: with_statistics(…)")
    if statistics.dtype not in (np.dtype(np.int32), np.dtype(np.float64)):
        statistics = statistics.astype(np.float64)
    return np.ascontiguousarray(statistics)


def blocks(statistics: NDArray[Any], size: int = BLOCK) -> Iterator[tuple[slice, Floats]]:
    """Yield blocks of rows as float64, and where each block begins."""
    for begin in range(0, len(statistics), size):
        part = slice(begin, begin + size)
        yield part, statistics[part].astype(np.float64)


def sentence_gains(
    candidates: CandidateSet, metric: Metric, brevity: float = 0.0, sentence_bleu: SentenceBleu = "plus_one"
) -> Floats:
    """Return `Metric.sentence_gains` of all candidates, checked to be finite."""
    statistics = statistics_of(candidates, metric)
    gains = np.empty(len(candidates))
    for part, rows in blocks(statistics, SENTENCE_BLOCK):
        gains[part] = metric.sentence_gains(rows, brevity=brevity, sentence_bleu=sentence_bleu)
    return _finite(gains, metric)


def shortest_references(candidates: CandidateSet, metric: Metric) -> Floats:
    """Return for each candidate the shortest reference length that counts for a candidate of its list."""
    if metric.bleu_smoothing is None:
        raise ConfigError(f"by_length is for metrics that are like BLEU; {metric.label} knows no reference length")
    lengths = statistics_of(candidates, metric)[:, 1].astype(np.float64)
    begins = candidates.offsets[:-1][np.diff(candidates.offsets) > 0]
    sizes = np.diff(np.append(begins, len(lengths)))
    found: Floats = np.repeat(np.minimum.reduceat(lengths, begins), sizes)
    return found


def corpus_gains(candidates: CandidateSet, metric: Metric) -> Floats:
    """Return what each candidate adds to the corpus metric, to first order: a share of 1, errors negative.

    The corpus has the mean candidate of every sentence. The scale is that of a sentence metric: if every sentence
    gained so much, the metric of the corpus would, were it linear.
    """
    statistics = statistics_of(candidates, metric)
    sizes = np.diff(candidates.offsets)
    total = np.zeros(statistics.shape[1])
    for part, rows in blocks(statistics):
        total += (rows / sizes[candidates.sentence_of[part], None]).sum(axis=0)
    slopes = _slopes(metric, total) * candidates.sentences
    slopes *= 1.0 / metric.scale if metric.higher_is_better else -1.0 / metric.scale
    gains = np.empty(len(candidates))
    for part, rows in blocks(statistics):
        gains[part] = (rows * slopes).sum(axis=1)  # no BLAS: the same bits with all its threads
    return _finite(gains, metric)


def _finite(gains: Floats, metric: Metric) -> Floats:
    """Return the gains; FormatError if one is not a number, as impossible counts of n-grams give it."""
    if not np.isfinite(gains).all():
        at = int(np.flatnonzero(~np.isfinite(gains))[0])
        raise FormatError(
            f"the statistics of candidate {at} are not those of {metric.label}; the lists are damaged"
        )
    return gains


def _slopes(metric: Metric, total: Floats) -> Floats:
    """Return the slope of the metric in each statistic, from one unit less to one more (1e-4 of a large one).

    What is counted does not fall below 0.
    """
    slopes = np.empty(len(total))
    for at, value in enumerate(total.tolist()):
        step = max(1.0, 1e-4 * abs(value))
        above, below = total.copy(), total.copy()
        above[at] += step
        below[at] = max(value - step, 0.0) if value >= 0 else value - step
        slopes[at] = (metric.score(above) - metric.score(below)) / (above[at] - below[at])
    return slopes


def check_gains(brevity: float, sentence_bleu: str) -> None:
    """Check the settings that a loss hands on to `sentence_gains`."""
    at_least(0, brevity=brevity)
    finite(brevity=brevity)
    one_of(SENTENCE_BLEU, sentence_bleu=sentence_bleu)


def lengths_of(candidates: CandidateSet, metric: Metric) -> Floats:
    """Return words of each candidate; all 0 where neither the metric nor the set knows."""
    known = metric.lengths(statistics_of(candidates, metric))
    if known is not None:
        return known
    if candidates.words is not None:
        return np.diff(candidates.words.offsets).astype(np.float64)
    return np.zeros(len(candidates))


def best_of_each(values: Floats, offsets: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for every sentence with candidates the index of its highest value, the first of several."""
    begins = offsets[:-1][offsets[1:] > offsets[:-1]]
    if not begins.size:
        return np.empty(0, dtype=np.int64)
    sizes = np.diff(np.append(begins, offsets[-1]))
    highest = np.repeat(np.maximum.reduceat(values, begins), sizes)
    at = np.flatnonzero(values == highest)
    _, first = np.unique(np.searchsorted(begins, at, side="right"), return_index=True)
    return at[first]
