"""Ratios of target to source words of a kind: Green et al. (2014), section 3.2."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunesmith.checks import within
from tunesmith.corpus.vocab import SPECIAL, Vocabulary
from tunesmith.features.base import SpanFeature, register
from tunesmith.features.rules.top_words import MOST
from tunesmith.grammar import RuleTable

_NOT_WORDS = ("P", "S", "N")  # general categories of punctuation, symbols and numbers


def is_punctuation(word: str) -> bool:
    """Return whether every character is punctuation by its Unicode category."""
    return bool(word) and all(unicodedata.category(character).startswith("P") for character in word)


def has_letters(word: str) -> bool:
    """Return whether a character is none of punctuation, symbol and number."""
    return any(not unicodedata.category(character).startswith(_NOT_WORDS) for character in word)


def function_words(vocabulary: Vocabulary, top: int) -> set[str]:
    """Return the `top` most frequent words that have letters; of equally frequent ones those with smaller ids."""
    counts = vocabulary.counts.tolist()
    words = vocabulary.words
    chosen = [id for id in range(len(SPECIAL), len(words)) if has_letters(words[id])]
    return {words[id] for id in sorted(chosen, key=lambda id: (-counts[id], id))[:top]}


def _flags(vocabulary: Vocabulary, holds: Callable[[str], bool]) -> NDArray[np.float32]:
    words = enumerate(vocabulary.words)
    return np.array([id >= len(SPECIAL) and holds(word) for id, word in words], dtype=np.float32)


@register("punctuation_ratio")
@dataclass(frozen=True)
class PunctuationRatio(SpanFeature):
    """Target punctuation marks for each one of the source sentence; nothing where that has none.

    Computed by the core (cpp/features/search/token_ratio.hpp). Tokens that the rules do not know are not counted.
    """

    def inputs(self, table: RuleTable) -> Mapping[str, object]:
        return {
            "source": _flags(table.source_vocabulary, is_punctuation),
            "target": _flags(table.target_vocabulary, is_punctuation),
        }


@register("function_word_ratio")
@dataclass(frozen=True)
class FunctionWordRatio(SpanFeature):
    """Target function words for each one of the source sentence: the `top` most frequent words with letters.

    Computed by the core (cpp/features/search/token_ratio.hpp).
    """

    top: int = 25

    def __post_init__(self) -> None:
        within(1, MOST, top=self.top)

    def inputs(self, table: RuleTable) -> Mapping[str, object]:
        sides = {"source": table.source_vocabulary, "target": table.target_vocabulary}
        return {side: _flags(words, function_words(words, self.top).__contains__) for side, words in sides.items()}
