"""Approximate randomisation (Noreen 1989; Riezler and Maxwell 2005): random swaps of outputs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tunesmith.checks import at_least
from tunesmith.evaluation.bootstrap import ROUNDING, check_pair, share_as_extreme
from tunesmith.evaluation.resample import swap_sums
from tunesmith.metrics.base import Floats, Metric


@dataclass(frozen=True)
class Randomization:
    """Result of the test.

    p_value: probability of a |difference| as large as the real one under random assignment of outputs to systems.
    """

    p_value: float
    trials: int


def approximate_randomization(
    metric: Metric, base_rows: Floats, system_rows: Floats, trials: int = 10000, seed: int = 1
) -> Randomization:
    """Run the test of Figure 1 in Riezler and Maxwell (2005).

    In each trial a fair coin swaps the outputs of each sentence.
    """
    check_pair(base_rows, system_rows)
    at_least(1, trials=trials)
    base, system = base_rows.sum(axis=0), system_rows.sum(axis=0)
    swapped = swap_sums(system_rows - base_rows, trials, seed)
    first, second = metric.score(base + swapped), metric.score(system - swapped)
    difference = float(metric.score(system) - metric.score(base))
    rounding = ROUNDING * max(abs(float(metric.score(base))), abs(float(metric.score(system))))
    return Randomization(share_as_extreme(np.abs(second - first), difference, rounding), trials)
