"""N-gram language models: estimation, ARPA and binary files, queries left to right and in a chart."""

from typing import TYPE_CHECKING

from tunesmith.lazy import names_of

if TYPE_CHECKING:
    from tunesmith.lm.model import NgramModel
    from tunesmith.lm.options import LmOptions
    from tunesmith.lm.scores import SentenceScores, WordScores
    from tunesmith.lm.training import Estimate, TrainingReport, estimate

__all__ = ["Estimate", "LmOptions", "NgramModel", "SentenceScores", "TrainingReport", "WordScores", "estimate"]

__getattr__ = names_of(__name__)
