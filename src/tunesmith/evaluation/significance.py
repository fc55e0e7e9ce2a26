"""Intervals and paired tests."""

from tunesmith.evaluation.bootstrap import (
    Interval,
    PairedBootstrap,
    bootstrap_scores,
    confidence_interval,
    paired_bootstrap,
)
from tunesmith.evaluation.correction import corrected
from tunesmith.evaluation.randomization import Randomization, approximate_randomization
from tunesmith.evaluation.settings import Resampling

__all__ = [
    "Interval",
    "PairedBootstrap",
    "Randomization",
    "Resampling",
    "approximate_randomization",
    "bootstrap_scores",
    "confidence_interval",
    "corrected",
    "paired_bootstrap",
]
