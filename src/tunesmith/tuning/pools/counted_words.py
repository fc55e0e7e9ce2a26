"""Tokens that a metric counts for words of graphs and references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tunesmith.tuning.pools.base import References
from tunesmith.tuning.pools.growing_words import GrowingWords

Prepare = Callable[[Sequence[str]], Sequence[str]]


@dataclass(frozen=True, eq=False)
class CountedWords:
    """Words of hypotheses as numbers.

    references: of each sentence, -1 for a token that no graph can have.
    offsets, tokens: tokens of each word of the graphs, concatenated; empty if tokens are words.
    """

    references: list[list[list[int]]]
    offsets: list[int]
    tokens: list[int]

    @classmethod
    def of(cls, words: GrowingWords, references: References, prepare: Prepare | None) -> CountedWords:
        """Return number words; `prepare` lower-cases and tokenises."""
        if prepare is None:
            numbers = words.numbers
            found = [[[numbers.get(word, -1) for word in text.split()] for text in each] for each in references]
            return cls(found, [], [])
        numbers = dict[str, int]()
        prepared = [text.split() for text in prepare(list(words))]
        tokens = [numbers.setdefault(token, len(numbers)) for each in prepared for token in each]
        offsets = np.cumsum([0, *map(len, prepared)]).tolist()
        found = [
            [[numbers.get(token, -1) for token in text.split()] for text in prepare(each)] for each in references
        ]
        return cls(found, offsets, tokens)
