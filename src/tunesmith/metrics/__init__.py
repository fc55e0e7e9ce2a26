"""Metrics of translation quality: statistics → sum → score (see `base`)."""

from tunesmith.metrics.base import BleuSmoothing, Metric, Prepared, Words, metric_of, metrics, metrics_from
from tunesmith.metrics.bleu import Bleu
from tunesmith.metrics.mean_bleu import MeanBleuPlusOne
from tunesmith.metrics.nist import Nist
from tunesmith.metrics.precomputed import Precomputed, read_scores
from tunesmith.metrics.sacre import ChrF, Ter
from tunesmith.metrics.scored import Segment, SentenceMetric
from tunesmith.metrics.sentence_bleu import (
    BleuPlusOne,
    DocumentBleu,
    InterpolatedBleu,
    PseudoCorpusBleu,
    bleu_gains,
)

__all__ = [
    "Bleu",
    "BleuPlusOne",
    "BleuSmoothing",
    "ChrF",
    "DocumentBleu",
    "InterpolatedBleu",
    "MeanBleuPlusOne",
    "Metric",
    "Nist",
    "Precomputed",
    "Prepared",
    "PseudoCorpusBleu",
    "Segment",
    "SentenceMetric",
    "Ter",
    "Words",
    "bleu_gains",
    "metric_of",
    "metrics",
    "metrics_from",
    "read_scores",
]
