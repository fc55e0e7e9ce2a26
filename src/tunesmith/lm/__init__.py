"""N-gram language models: estimation, ARPA and binary files, queries left to right and in a chart."""

from typing import TYPE_CHECKING

from tunesmith.lazy import names_of

if TYPE_CHECKING:
    from tunesmith.lm.class_model import ClassModel
    from tunesmith.lm.loading import LanguageModel, load_model
    from tunesmith.lm.model import NgramModel
    from tunesmith.lm.options import LmOptions
    from tunesmith.lm.scores import SentenceScores, WordScores
    from tunesmith.lm.training import Estimate, TrainingReport, estimate

__all__ = [
    "ClassModel",
    "Estimate",
    "LanguageModel",
    "LmOptions",
    "NgramModel",
    "SentenceScores",
    "TrainingReport",
    "WordScores",
    "estimate",
    "load_model",
]

__getattr__ = names_of(__name__)
