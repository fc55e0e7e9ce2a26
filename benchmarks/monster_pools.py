"""A decoder without a language: every sentence has a pool of candidates of all lengths, weights choose from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.features.index import FeatureIndex
from tunesmith.search import CandidateSet
from tunesmith.tuning import ListSource

Floats = NDArray[np.float64]


class Pools(ListSource):
    """The `k` best of `size` candidates a sentence, whose lengths spread around `words`, that of the reference.

    More or fewer words than the reference has are wrong. `lm` sinks with every word and rises with the share of
    right words, with noise that grows with length; `words` is the length. A source of candidates for a tuner.
    """

    fixed = False
    references = None

    def __init__(self, words: int, sentences: int = 40, size: int = 1500, k: int = 60, seed: int = 1) -> None:
        random = np.random.default_rng(seed)
        rows = sentences * size
        self.sentences, self.size, self.k = sentences, size, k
        self._features = FeatureIndex(("lm", "words"))
        length = np.clip(np.round(words * np.exp(0.35 * random.normal(size=rows))), 4, 4 * words)
        right = random.uniform(0.55, 0.6, size=rows) * np.minimum(1, words / length)
        ngrams = length[:, None] - np.arange(4)
        matches = np.floor(ngrams * right[:, None] ** np.arange(1, 5))
        self.statistics = np.column_stack([length, np.full(rows, words), matches, ngrams])
        noise = random.normal(size=rows) * np.sqrt(length / 10)
        self.rows = np.column_stack([6 * right - length / 2 + noise, length])

    @property
    def features(self) -> FeatureIndex:
        """Language model and length."""
        return self._features

    def start(self) -> Floats:
        """A model that does not care about length."""
        return np.array([1.0, 0.5])

    def candidates(
        self, weights: Floats, sentences: Sequence[int] | None = None, *, threads: int = 1
    ) -> CandidateSet:
        """The k best of every pool."""
        scores = (self.rows @ weights).reshape(self.sentences, self.size)
        best = np.argsort(-scores, axis=1, kind="stable")[:, : self.k]
        chosen = (best + self.size * np.arange(self.sentences)[:, None]).ravel()
        offsets = np.arange(0, len(chosen) + 1, self.k)
        return CandidateSet.from_matrix(
            self.rows[chosen], offsets, statistics=self.statistics[chosen], names=self.features
        )

    def settings(self) -> dict[str, Any]:
        """What the candidates depend on."""
        return {"kind": "pools", "sentences": self.sentences, "size": self.size, "k": self.k}
