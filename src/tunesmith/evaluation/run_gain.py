"""Gain of a run: the score of its best round with an interval, and a paired test against the start."""

from __future__ import annotations

from tunesmith.evaluation.bootstrap import Interval, bootstrap_scores, interval_of
from tunesmith.evaluation.compare import Comparison, PairedTests, compare
from tunesmith.evaluation.run_record import RunRecord
from tunesmith.evaluation.settings import Resampling
from tunesmith.signature import Signature


def run_gain(record: RunRecord, resampling: Resampling | None = None) -> Comparison | None:
    """Compare the best round with the start weights on dev; None if translations of either are missing."""
    best, metric = record.best, record.metric
    if best is None or best.round == 0 or metric is None:
        return None
    rows = {"start": record.chosen(0), "tuned": record.chosen(best.round)}
    found = {name: chosen.statistics for name, chosen in rows.items() if chosen is not None}
    if len(found) < 2 or len({each.shape for each in found.values()}) > 1:
        return None
    signature = Signature(metric.label, {**record.metric_settings, "data": "dev"})
    return compare(metric, found, signature, resampling)


def best_interval(record: RunRecord, resampling: Resampling | None = None) -> Interval | None:
    """Compute the interval of the best score on dev; None if its translations are missing."""
    best, metric = record.best, record.metric
    chosen = None if best is None else record.chosen(best.round)
    settings = resampling or Resampling()
    if metric is None or chosen is None or not settings.samples:
        return None
    scores = bootstrap_scores(metric, chosen.statistics, settings.samples, settings.seed)
    return interval_of(scores, settings.level)


def p_text(tests: PairedTests) -> str:
    """Format the p-value of approximate randomisation, or of the bootstrap; empty without tests."""
    for p, name in ((tests.p_randomization, "randomisation"), (tests.p_bootstrap, "bootstrap")):
        if p is not None:
            return f"p < 0.001 ({name})" if p < 0.001 else f"p = {p:.3f} ({name})"
    return ""
