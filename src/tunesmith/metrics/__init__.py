"""Metrics of translation quality: sufficient statistics → sum → score (see `base`)."""

from tunesmith.metrics.base import Metric, Prepared, metrics
from tunesmith.metrics.bleu import Bleu
from tunesmith.metrics.nist import Nist
from tunesmith.metrics.precomputed import Precomputed, read_scores
from tunesmith.metrics.sacre import ChrF, Ter
from tunesmith.metrics.sentence_bleu import (
    BleuPlusOne,
    DocumentBleu,
    InterpolatedBleu,
    MeanBleuPlusOne,
    PseudoCorpusBleu,
)

__all__ = [
    "Bleu",
    "BleuPlusOne",
    "ChrF",
    "DocumentBleu",
    "InterpolatedBleu",
    "MeanBleuPlusOne",
    "Metric",
    "Nist",
    "Precomputed",
    "Prepared",
    "PseudoCorpusBleu",
    "Ter",
    "metrics",
    "read_scores",
]
