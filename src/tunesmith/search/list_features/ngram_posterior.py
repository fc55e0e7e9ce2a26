"""n-gram posteriors: the mass of a list that has the n-grams of a candidate (Zens and Ney 2006, section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tunesmith.checks import within
from tunesmith.search.list_features.base import Floats, ListFeature, list_features
from tunesmith.search.lists.candidates import CandidateSet


@list_features.register("posterior")
@dataclass(frozen=True)
class NgramPosterior(ListFeature):
    """Mean posterior of the n-grams of a candidate, a feature for each order.

    The posterior of an n-gram is the probability mass of the candidates that contain it, each weighted by
    exp(scale × score of the list); with scale 0, or without scores, all have equal weight. A candidate without
    n-grams of an order has 0.
    """

    order: int = 4
    scale: float = 0.0

    def __post_init__(self) -> None:
        within(1, 9, order=self.order)

    def columns(self, candidates: CandidateSet, *, threads: int = 1) -> Mapping[str, Floats]:
        words = candidates.words
        assert words is not None
        found = np.zeros((self.order, len(candidates)))
        for sentence in range(candidates.sentences):
            numbers = candidates.candidates_of(sentence)
            if numbers:
                texts = [words.ids[words.offsets[at] : words.offsets[at + 1]].tolist() for at in numbers]
                mass = self._mass(candidates, numbers)
                for n in range(1, self.order + 1):
                    found[n - 1, numbers.start : numbers.stop] = _means(texts, mass, n)
        return {f"posterior:{n + 1}": found[n] for n in range(self.order)}

    def _mass(self, candidates: CandidateSet, numbers: range) -> list[float]:
        if candidates.model_scores is None or self.scale == 0:
            return [1.0 / len(numbers)] * len(numbers)
        exponents = self.scale * candidates.model_scores[numbers.start : numbers.stop]
        mass = np.exp(exponents - exponents.max())
        shares: list[float] = (mass / mass.sum()).tolist()
        return shares


def _means(texts: list[list[int]], mass: list[float], n: int) -> list[float]:
    ngrams = [[tuple(text[at : at + n]) for at in range(len(text) - n + 1)] for text in texts]
    posterior: dict[tuple[int, ...], float] = {}
    for own, share in zip(ngrams, mass, strict=True):
        for ngram in dict.fromkeys(own):
            posterior[ngram] = posterior.get(ngram, 0.0) + share
    return [sum(posterior[ngram] for ngram in own) / len(own) if own else 0.0 for own in ngrams]
