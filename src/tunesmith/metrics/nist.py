"""NIST (Doddington 2002) as mteval-v13a computes it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunesmith.checks import within
from tunesmith.corpus.given_text import GivenReferences, references_of
from tunesmith.metrics.base import Floats, Metric, WordNgrams, metrics
from tunesmith.metrics.bleu import PreparedNgrams
from tunesmith.metrics.text import Preparation

# The length penalty is 1/2 where the output has 2/3 of the words of an average reference.
_BETA = math.log(0.5) / math.log(1.5) ** 2


@metrics.register("nist")
@dataclass(frozen=True)
class Nist(Metric):
    """Information-weighted n-gram matches, order 5, with several references as mteval-v13a has them.

    Counts are clipped by the maximum over references; the reference length is the average; information weights
    come from all different references of all sentences.
    """

    name: ClassVar[str] = "nist"
    label: ClassVar[str] = "NIST"

    order: int = 5
    lowercase: bool = False
    tokenize: str = "none"

    def __post_init__(self) -> None:
        within(1, 9, order=self.order)

    @property
    def width(self) -> int:
        """Two lengths, then information and n-grams per order."""
        return 2 + 2 * self.order

    def prepare(self, references: GivenReferences) -> PreparedNgrams:
        """Count n-grams and compute their information weights."""
        preparation = Preparation(self.lowercase, self.tokenize)
        return PreparedNgrams(references_of(references), self.order, "average", preparation, information=True)

    def score(self, statistics: Floats) -> Floats:
        """Compute Eq. 3 of Doddington (2002)."""
        length, reference = statistics[..., 0], statistics[..., 1]
        information, ngrams = statistics[..., 2 : 2 + self.order], statistics[..., 2 + self.order :]
        precision = np.divide(information, ngrams, out=np.zeros_like(information), where=ngrams > 0)
        ratio = np.divide(length, reference, out=np.zeros_like(length), where=reference > 0)
        log_ratio = np.log(np.minimum(ratio, 1.0), out=np.zeros_like(ratio), where=ratio > 0)
        penalty = np.where(ratio > 0, np.exp(_BETA * log_ratio**2), 0.0)
        result: Floats = precision.sum(axis=-1) * penalty
        return result

    @property
    def prepared_ngrams(self) -> WordNgrams | None:
        preparation = Preparation(self.lowercase, self.tokenize)
        if not preparation.word_by_word:
            return None
        used = None if preparation == Preparation() else preparation
        return WordNgrams(self.order, "average", used, information=True)

    def settings(self) -> dict[str, str | int | float | bool]:
        order = {} if self.order == 5 else {"order": self.order}
        return {**Preparation(self.lowercase, self.tokenize).settings(), **order}
