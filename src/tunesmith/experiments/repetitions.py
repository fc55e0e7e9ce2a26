"""Statistics of repeated tunings: means, standard deviations, and tests against another repeated tuning."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tunesmith.evaluation.bootstrap import Interval, confidence_interval, paired_bootstrap
from tunesmith.evaluation.randomization import approximate_randomization
from tunesmith.metrics.base import Floats, Metric

SAMPLES = TRIALS = 1000


def mean(values: Sequence[float]) -> float:
    return float(np.mean(values))


def deviation(values: Sequence[float]) -> float | None:
    """Return the sample standard deviation (n - 1); None for a single value."""
    return float(np.std(values, ddof=1)) if len(values) > 1 else None


@dataclass(frozen=True)
class Difference:
    """Difference of two means (this - base).

    P-values are medians over repetitions, each paired with its counterpart.
    """

    score: float
    p_bootstrap: float
    p_randomization: float

    def as_dict(self) -> dict[str, float]:
        return dict(vars(self))


@dataclass(frozen=True)
class Judged:
    """Scores of all repetitions on one data set; the interval is that of the first of them."""

    scores: tuple[float, ...]
    interval: Interval
    difference: Difference | None = None

    @property
    def mean(self) -> float:
        return mean(self.scores)

    @property
    def deviation(self) -> float | None:
        return deviation(self.scores)

    def as_dict(self) -> dict[str, Any]:
        return {
            "mean": self.mean,
            "deviation": self.deviation,
            "scores": list(self.scores),
            "interval": self.interval.as_dict(),
            "difference": None if self.difference is None else self.difference.as_dict(),
        }


def judged(metric: Metric, runs: Mapping[str, Floats], base: Mapping[str, Floats] | None = None) -> Judged:
    """Compute scores from metric statistics (sentences × width) of each repetition by name.

    base: statistics of the tuning to compare with; repetitions of equal name are paired. A test on pooled
    repetitions would count every test sentence several times and be too optimistic.
    """
    scores = tuple(_score(metric, rows) for rows in runs.values())
    interval = confidence_interval(metric, next(iter(runs.values())), SAMPLES)
    if base is None:
        return Judged(scores, interval)
    pairs = [(base[name], rows) for name, rows in runs.items() if name in base]
    pairs = pairs or [(next(iter(base.values())), next(iter(runs.values())))]
    difference = Difference(
        mean(scores) - mean([_score(metric, rows) for rows in base.values()]),
        float(np.median([paired_bootstrap(metric, one, other, SAMPLES).p_value for one, other in pairs])),
        float(np.median([approximate_randomization(metric, one, other, TRIALS).p_value for one, other in pairs])),
    )
    return Judged(scores, interval, difference)


def _score(metric: Metric, rows: Floats) -> float:
    return float(metric.score(rows.sum(axis=0)))
