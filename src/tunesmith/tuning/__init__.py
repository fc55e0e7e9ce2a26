"""Weights for features: losses, regularizers, optimizers, the loop that joins them, and its run directories."""

from tunesmith.tuning.history import History, Round
from tunesmith.tuning.projection import Projection
from tunesmith.tuning.sources import CandidateSource, FileSource, KBestDecoder, KBestSource
from tunesmith.tuning.tuner import Tuner

__all__ = [
    "CandidateSource",
    "FileSource",
    "History",
    "KBestDecoder",
    "KBestSource",
    "Projection",
    "Round",
    "Tuner",
]
