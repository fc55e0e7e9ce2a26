"""Data shared by the graphs of a pool: features, words, references."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.features.index import FeatureIndex
from tunesmith.features.matrix import FeatureMatrix
from tunesmith.metrics import Prepared
from tunesmith.search.lists.pieces import joined_words
from tunesmith.search.lists.words import WordLists
from tunesmith.tuning.pools.base import References
from tunesmith.tuning.pools.growing_words import GrowingWords


@dataclass(frozen=True, eq=False)
class GraphModel:
    """Data shared by the graphs of a source.

    features: names of all features.   rules: F, None if edges have all features themselves.
    words: words by their numbers in the graphs. references: of all sentences of the source. subwords: the pieces
        that words are in (`bpe`, `sentencepiece`), joined for metrics; `none` for whole words.
    """

    features: FeatureIndex
    rules: FeatureMatrix | None = None
    words: GrowingWords = field(default_factory=GrowingWords)
    references: References = ()
    subwords: str = "none"

    def word_lists(self, ids: NDArray[np.uint32], offsets: NDArray[np.int64]) -> WordLists:
        """Convert word numbers of the graphs to translations in whole words."""
        if self.subwords == "none":
            return WordLists(self.words, ids, offsets)
        return joined_words(WordLists(list(self.words), ids, offsets), self.subwords)

    def references_of(self, first: int, sentences: int) -> References:
        """Return the references of consecutive sentences; ConfigError if there are none."""
        if len(self.references) < first + sentences:
            raise ConfigError("these graphs have no references")
        return self.references[first : first + sentences]

    @property
    def native_rules(self) -> _core.FeatureMatrix | None:
        return None if self.rules is None else self.rules.native


@dataclass(frozen=True, eq=False)
class Measuring:
    """References of the sentences.   first: number of the metric's sentence for the first sentence of the pool."""

    metric: Prepared
    first: int
