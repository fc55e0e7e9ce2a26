"""Results of queries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@dataclass(frozen=True)
class SentenceScores:
    """Scores of sentences, one entry for each.

    log10: log10 p(sentence </s> | <s>).
    log10_known: log10 without unknown words. words: number of words without </s>.
    unknown: number of unknown words.
    """

    log10: NDArray[np.float64]
    log10_known: NDArray[np.float64]
    words: NDArray[np.int64]
    unknown: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.log10)

    @property
    def tokens(self) -> int:
        """Number of predicted tokens: words and ends of sentences."""
        return int(self.words.sum()) + len(self)

    @property
    def perplexity(self) -> float | None:
        """10 to the power of minus the mean log10 of a token, unknown words included; None without sentences."""
        return perplexity(float(self.log10.sum()), self.tokens)

    @property
    def perplexity_known(self) -> float | None:
        """The perplexity of all tokens but unknown words."""
        return perplexity(float(self.log10_known.sum()), self.tokens - int(self.unknown.sum()))


@dataclass(frozen=True)
class WordScores:
    """Scores of words: one entry for each word of all sentences, </s> included.

    Sentence i is offsets[i] to offsets[i + 1].

    log10: log10 probability.  length: of the longest matched n-gram.  ids: 0 for an unknown word.
    """

    offsets: NDArray[np.int64]
    log10: NDArray[np.float32]
    length: NDArray[np.int32]
    ids: NDArray[np.int32]


def perplexity(log10: float, tokens: int) -> float | None:
    """Return 10 to the power of minus the mean log10 of a token; None if there is no token."""
    if tokens == 0:
        return None
    try:
        return float(10.0 ** (-log10 / tokens))
    except OverflowError:
        return float("inf")
