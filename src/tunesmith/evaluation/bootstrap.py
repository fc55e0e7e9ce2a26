"""Bootstrap resampling of sentences: confidence intervals, and Koehn's (2004) paired test.

Everything works on rows of statistics and `Metric.score`, hence for every metric, error rates included.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from tunesmith.checks import at_least, between
from tunesmith.errors import ConfigError
from tunesmith.evaluation.resample import bootstrap_sums
from tunesmith.metrics.base import Floats, Metric

# Scores with a smaller relative difference differ by rounding only.
ROUNDING = 1e-10


@dataclass(frozen=True)
class Interval:
    """A percentile interval of bootstrap scores; `mean` is the mean of these scores."""

    low: float
    high: float
    mean: float
    level: float
    samples: int

    @property
    def half_width(self) -> float:
        """Half of the width, printed after ±."""
        return 0.5 * (self.high - self.low)

    def as_dict(self) -> dict[str, float | int]:
        return {**asdict(self), "half_width": self.half_width}


@dataclass(frozen=True)
class PairedBootstrap:
    """Result of Koehn's paired bootstrap test of a system against a base, and of tests derived from it.

    p_value: as Moses' bootstrap-hypothesis-difference-significance.pl and sacrebleu compute it: the share of
        resamples whose |difference|, less the mean |difference|, is at least the real |difference|. Since both
        tails are folded before the mean is subtracted, it is about *half* of a two-sided p-value.
    p_two_sided: share of resamples whose difference is at least as far from the mean difference as the real
        difference is from 0. Under the null hypothesis it is uniform, as a p-value should be.
    wins, ties: share of resamples in which the system is better than, or as good as, the base (Koehn 2004).
    """

    p_value: float
    p_two_sided: float
    wins: float
    ties: float
    samples: int


def bootstrap_scores(metric: Metric, rows: Floats, samples: int = 1000, seed: int = 1) -> Floats:
    """Compute scores of corpora drawn with replacement, with the same draws for every metric and system."""
    check_rows(rows)
    at_least(1, samples=samples)
    return metric.score(bootstrap_sums(rows, samples, seed))


def confidence_interval(
    metric: Metric, rows: Floats, samples: int = 1000, seed: int = 1, level: float = 0.95
) -> Interval:
    """Compute the interval of the middle `level` of bootstrap scores."""
    return interval_of(bootstrap_scores(metric, rows, samples, seed), level)


def interval_of(scores: Floats, level: float = 0.95) -> Interval:
    """Compute the interval of bootstrap scores; ranks as in sacrebleu (n // 40 from each end at 0.95)."""
    between(0, 1, **{"confidence level": level})
    ordered = np.sort(scores)
    n = len(ordered)
    skip = min(int(n * (1 - level) / 2 + 1e-9), (n - 1) // 2)
    return Interval(float(ordered[skip]), float(ordered[n - 1 - skip]), float(ordered.mean()), level, n)


def paired_bootstrap(
    metric: Metric, base_rows: Floats, system_rows: Floats, samples: int = 1000, seed: int = 1
) -> PairedBootstrap:
    """Test a system against a base on the same resampled sentences."""
    check_pair(base_rows, system_rows)
    return paired_of(
        metric,
        float(metric.score(system_rows.sum(axis=0)) - metric.score(base_rows.sum(axis=0))),
        bootstrap_scores(metric, base_rows, samples, seed),
        bootstrap_scores(metric, system_rows, samples, seed),
    )


def paired_of(metric: Metric, difference: float, base_scores: Floats, system_scores: Floats) -> PairedBootstrap:
    """Compute the test from the real difference (system - base) and the scores of both on the same resamples."""
    differences = system_scores - base_scores
    rounding = ROUNDING * float(np.abs(base_scores).max(initial=0.0))
    differences[np.abs(differences) <= rounding] = 0.0
    size = np.abs(differences)
    gains = differences if metric.higher_is_better else -differences
    return PairedBootstrap(
        p_value=share_as_extreme(size - size.mean(), difference, rounding),
        p_two_sided=share_as_extreme(np.abs(differences - differences.mean()), difference, rounding),
        wins=float(np.mean(gains > 0)),
        ties=float(np.mean(gains == 0)),
        samples=len(gains),
    )


def share_as_extreme(values: Floats, difference: float, rounding: float) -> float:
    """Return the share of values not below |difference|, counting the real outcome as one more value.

    This keeps the test from rejecting too often (Noreen 1989). Equality counts as extreme, so that two equal
    systems have p = 1; sacrebleu 2.x omits equality and reports equal systems as significantly different.
    """
    extreme = int(np.count_nonzero(values >= abs(difference) - rounding))
    return (extreme + 1) / (len(values) + 1)


def check_pair(base_rows: Floats, system_rows: Floats) -> None:
    """Raise an error unless both have rows of the same sentences."""
    check_rows(base_rows)
    if base_rows.shape != system_rows.shape:
        raise ConfigError(
            f"statistics of shape {system_rows.shape} cannot be paired with {base_rows.shape}: both systems must "
            "have one row for each sentence, of the same metric"
        )


def check_rows(rows: Floats) -> None:
    if rows.ndim != 2 or not len(rows):
        raise ConfigError(f"statistics of shape {rows.shape}: expected one row for each of one or more sentences")
