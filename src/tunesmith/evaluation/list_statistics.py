"""Statistics of n-best lists: sizes, bounds of quality, correlation of features with quality."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.metrics import Metric
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.tuning.pools.gains import best_of_each, sentence_gains

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class FeatureRow:
    """A feature over all candidates.

    fires: share of candidates where it is not 0.
    correlation: with the metric of single candidates, both as differences from the mean of their list (what a
        reranker can use); None without references or if the feature is constant in every list.
    """

    name: str
    fires: float
    mean: float
    deviation: float
    minimum: float
    maximum: float
    correlation: float | None = None


@dataclass(frozen=True)
class Bounds:
    """Metric of the first candidates, and of the best and worst candidates by sentence."""

    metric: str
    first: float
    oracle: float
    anti_oracle: float


@dataclass(frozen=True)
class ListStatistics:
    """Statistics of lists; sizes are candidates per sentence."""

    sentences: int
    candidates: int
    without_candidates: int
    smallest: int
    median: float
    largest: int
    different_texts: int | None
    features: tuple[FeatureRow, ...]
    bounds: Bounds | None = None


def list_statistics(candidates: CandidateSet, metric: Metric | None = None) -> ListStatistics:
    """Describe lists; with a metric, whose statistics the candidates must have, their quality too."""
    sizes = np.diff(candidates.offsets)
    gains = None if metric is None else sentence_gains(candidates, metric)
    return ListStatistics(
        candidates.sentences,
        len(candidates),
        int((sizes == 0).sum()),
        int(sizes.min(initial=0)) if not sizes.size else int(sizes.min()),
        float(np.median(sizes)) if sizes.size else 0.0,
        int(sizes.max(initial=0)),
        _different_texts(candidates),
        tuple(_feature_rows(candidates, gains)),
        None if metric is None or gains is None else bounds(candidates, metric, gains),
    )


def oracle(candidates: CandidateSet, metric: Metric, *, worst: bool = False) -> NDArray[np.int64]:
    """Return the best (or worst) candidate of each non-empty list, by the metric of single sentences."""
    gains = sentence_gains(candidates, metric)
    return best_of_each(-gains if worst else gains, np.asarray(candidates.offsets))


def bounds(candidates: CandidateSet, metric: Metric, gains: Floats) -> Bounds:
    """Compute corpus scores of first, best and worst candidates."""
    offsets = np.asarray(candidates.offsets)
    first = offsets[:-1][offsets[1:] > offsets[:-1]]
    chosen: Sequence[NDArray[np.int64]] = (first, best_of_each(gains, offsets), best_of_each(-gains, offsets))
    assert candidates.statistics is not None
    scores = [float(metric.score(candidates.statistics[at].sum(axis=0, dtype=np.float64))) for at in chosen]
    return Bounds(metric.label, *scores)


def _different_texts(candidates: CandidateSet) -> int | None:
    words = candidates.words
    if words is None:
        return None
    ids, ends = words.ids.tobytes(), words.offsets * words.ids.itemsize
    seen = {
        (sentence, ids[ends[at] : ends[at + 1]]) for at, sentence in enumerate(candidates.sentence_of.tolist())
    }
    return len(seen)


def _feature_rows(candidates: CandidateSet, gains: Floats | None) -> list[FeatureRow]:
    size, columns = len(candidates), candidates.columns
    if size == 0:
        return []
    matrix = candidates.rows()
    column_wise = matrix.tocsc()
    fires = np.diff(column_wise.indptr) / size
    sums = np.asarray(matrix.sum(axis=0)).reshape(-1)
    squares = np.asarray(matrix.multiply(matrix).sum(axis=0)).reshape(-1)
    means = sums / size
    deviations = np.sqrt(np.maximum(squares / size - means**2, 0))
    lowest = matrix.min(axis=0).toarray().reshape(-1)
    highest = matrix.max(axis=0).toarray().reshape(-1)
    correlations = [None] * columns if gains is None else _correlations(candidates, matrix, squares, gains)
    names = list(candidates.features)[:columns]
    return [
        FeatureRow(
            names[at], float(fires[at]), float(means[at]), float(deviations[at]), float(lowest[at]),
            float(highest[at]), correlations[at],
        )
        for at in range(columns)
    ]  # fmt: skip


def _correlations(candidates: CandidateSet, matrix: Any, squares: Floats, gains: Floats) -> list[float | None]:
    """Compute Pearson's correlation of differences from the means of lists."""
    from scipy import sparse

    sizes = np.maximum(np.diff(candidates.offsets), 1)
    sentence = candidates.sentence_of
    means = np.bincount(sentence, weights=gains, minlength=candidates.sentences) / sizes
    centred = gains - means[sentence]
    members = sparse.csr_matrix(
        (np.ones(len(candidates)), (sentence, np.arange(len(candidates)))),
        shape=(candidates.sentences, len(candidates)),
    )
    list_sums = members @ matrix
    of_means = np.asarray(list_sums.multiply(list_sums).multiply(1.0 / sizes[:, None]).sum(axis=0)).reshape(-1)
    within = np.maximum(squares - of_means, 0)
    products = matrix.T @ centred
    scale = np.sqrt(within * float(centred @ centred))
    usable = within > 1e-12 * np.maximum(squares, 1e-300)
    return [
        float(products[at] / scale[at]) if usable[at] and scale[at] > 0 else None for at in range(len(squares))
    ]
