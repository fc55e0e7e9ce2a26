"""Evaluation of one system by one metric: score, interval, details, signature."""

from __future__ import annotations

from dataclasses import dataclass

from tunesmith.evaluation.bootstrap import Interval, confidence_interval
from tunesmith.evaluation.settings import Resampling
from tunesmith.metrics.base import Floats, Metric
from tunesmith.signature import Signature


@dataclass(frozen=True)
class Evaluation:
    """A score with interval, details and signature."""

    score: float
    interval: Interval | None
    details: dict[str, float]
    higher_is_better: bool
    signature: Signature

    def as_dict(self) -> dict[str, object]:
        """Return a dictionary for JSON; numbers are not rounded."""
        return {
            "score": self.score,
            "interval": None if self.interval is None else self.interval.as_dict(),
            "higher_is_better": self.higher_is_better,
            "details": self.details,
            "signature": self.signature.as_dict(),
        }


def evaluate(
    metric: Metric, rows: Floats, signature: Signature, resampling: Resampling | None = None
) -> Evaluation:
    """Score rows of statistics; `signature` is that of the metric with its references."""
    settings = resampling or Resampling()
    totals = rows.sum(axis=0)
    interval = (
        confidence_interval(metric, rows, settings.samples, settings.seed, settings.level)
        if settings.samples
        else None
    )
    return Evaluation(
        score=float(metric.score(totals)),
        interval=interval,
        details=metric.details(totals),
        higher_is_better=metric.higher_is_better,
        signature=settings.of_interval(signature),
    )
