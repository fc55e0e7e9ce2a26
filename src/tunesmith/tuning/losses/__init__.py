"""Losses, one file each; `losses` holds them by name."""

from tunesmith.tuning.losses.base import Loss, losses
from tunesmith.tuning.losses.corpus_error import CorpusError
from tunesmith.tuning.losses.expected_gain import ExpectedGain
from tunesmith.tuning.losses.hope_fear import HopeFear
from tunesmith.tuning.losses.oracle_margins import OracleMargins
from tunesmith.tuning.losses.pairwise_ranking import PairwiseRanking
from tunesmith.tuning.losses.structured_hinge import StructuredHinge
from tunesmith.tuning.objectives import Objective

__all__ = [
    "CorpusError",
    "ExpectedGain",
    "HopeFear",
    "Loss",
    "Objective",
    "OracleMargins",
    "PairwiseRanking",
    "StructuredHinge",
    "losses",
]
