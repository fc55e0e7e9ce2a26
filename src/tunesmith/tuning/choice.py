"""Which candidate of each sentence is chosen, and what the metric says of it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunesmith.metrics import Metric
from tunesmith.search.candidates import CandidateSet

Floats = NDArray[np.float64]


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


def chosen_score(
    candidates: CandidateSet, weights: Floats, metric: Metric, *, threads: int = 1
) -> tuple[float, dict[str, float]]:
    """The metric, and its parts, of the candidates that these weights prefer."""
    chosen = best_of_each(candidates.scores(weights, threads=threads), np.asarray(candidates.offsets))
    assert candidates.statistics is not None
    totals = candidates.statistics[chosen].sum(axis=0, dtype=np.float64)
    return float(metric.score(totals)), metric.details(totals)
