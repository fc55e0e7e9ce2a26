"""What a single candidate is worth: one number each, larger is better."""

from __future__ import annotations

import numpy as np

from tunesmith.metrics.base import Metric
from tunesmith.metrics.bleu import Bleu
from tunesmith.metrics.sentence_bleu import BleuPlusOne
from tunesmith.search.candidates import CandidateSet
from tunesmith.tuning.losses.base import Floats, statistics_of

BLOCK = 200_000  # rows that exist as float64 at once


def sentence_gains(candidates: CandidateSet, metric: Metric, brevity: float = 0.0) -> Floats:
    """BLEU+1 where the metric is BLEU, otherwise its score of a sentence; as a share of 1, errors negative.

    brevity: words by which references count as longer in BLEU+1. Its smoothing forgives short output (Nakov et al.
        2012, who add one word; that is too much for short sentences).
    """
    statistics = statistics_of(candidates, metric)
    gains = np.empty(len(candidates))
    for begin in range(0, len(candidates), BLOCK):
        rows = statistics[begin : begin + BLOCK].astype(np.float64)
        if isinstance(metric, Bleu):
            rows[:, 1] += brevity
            gains[begin : begin + BLOCK] = BleuPlusOne().scores(rows)
        else:
            share = 1.0 / metric.scale if metric.higher_is_better else -1.0 / metric.scale
            gains[begin : begin + BLOCK] = share * metric.sentence_scores(rows)
    return gains


def lengths_of(candidates: CandidateSet, metric: Metric) -> Floats:
    """Words of each candidate; all 0 where neither the metric nor the set knows."""
    if isinstance(metric, Bleu):
        return statistics_of(candidates, metric)[:, 0].astype(np.float64)
    if candidates.words is not None:
        return np.diff(candidates.words.offsets).astype(np.float64)
    return np.zeros(len(candidates))
