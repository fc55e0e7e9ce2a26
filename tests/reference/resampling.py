"""Slow twins of the paired tests: every resample and every swap there is, with equal weight."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from tunesmith.metrics.base import Floats, Metric


def exact_bootstrap(metric: Metric, base: Floats, system: Floats, samples: int) -> dict[str, Any]:
    """p in the manner of Moses, two-sided p, wins and ties over all n^n resamples; feasible up to n = 5 or so.

    Each p is a range: the mean that is taken off is itself estimated from `samples` draws, and on tiny data many
    outcomes may lie just at the threshold.
    """
    n = len(base)
    differences = []
    for drawn in itertools.product(range(n), repeat=n):
        chosen = list(drawn)
        differences.append(
            float(metric.score(system[chosen].sum(axis=0)) - metric.score(base[chosen].sum(axis=0)))
        )
    values = np.array(differences)
    real = abs(float(metric.score(system.sum(axis=0)) - metric.score(base.sum(axis=0))))
    size = np.abs(values)
    off = 4.5 * values.std() / math.sqrt(samples) + 1e-9
    gains = values if metric.higher_is_better else -values
    return {
        "p_value": [np.mean(size - size.mean() >= real + sign * off) for sign in (1, -1)],
        "p_two_sided": [np.mean(np.abs(values - values.mean()) >= real + sign * off) for sign in (1, -1)],
        "wins": np.mean(gains > 1e-9),
        "ties": np.mean(size <= 1e-9),
    }


def exact_randomization(metric: Metric, base: Floats, system: Floats) -> float:
    """Share of all 2^n swaps with a difference at least as large as the real one."""
    real = abs(float(metric.score(system.sum(axis=0)) - metric.score(base.sum(axis=0))))
    extreme = 0
    for swap in itertools.product([False, True], repeat=len(base)):
        mask = np.array(swap)[:, np.newaxis]
        one = np.where(mask, base, system).sum(axis=0)
        other = np.where(mask, system, base).sum(axis=0)
        extreme += abs(float(metric.score(one) - metric.score(other))) >= real - 1e-9
    return float(extreme / 2 ** len(base))


def monte_carlo_error(p: float, trials: int, sigmas: float = 4.5) -> float:
    """How far an estimate of p from this number of trials may be off, the +1 of the estimate included."""
    return sigmas * math.sqrt(max(p * (1 - p), 1 / trials) / trials) + 1 / trials
