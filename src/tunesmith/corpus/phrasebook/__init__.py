"""The phrasebook: a built-in Chinese-English corpus from a hand-written synchronous grammar."""

from tunesmith.corpus.phrasebook.corpus import EvalSentence, Pair, PhrasebookCorpus
from tunesmith.corpus.phrasebook.generate import PhrasebookOptions, generate
from tunesmith.corpus.phrasebook.phrasebook import Phrasebook
from tunesmith.corpus.phrasebook.statistics import PhrasebookStatistics, statistics

__all__ = [
    "EvalSentence",
    "Pair",
    "Phrasebook",
    "PhrasebookCorpus",
    "PhrasebookOptions",
    "PhrasebookStatistics",
    "generate",
    "statistics",
]
