"""The mean of BLEU+1 over sentences, as a metric of a corpus."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunesmith.corpus.given_text import GivenReferences
from tunesmith.metrics.base import Floats, Integers, Metric, Prepared, Words, metrics
from tunesmith.metrics.bleu import Bleu
from tunesmith.metrics.sentence_bleu import BleuPlusOne


@metrics.register("bleu+1")
@dataclass(frozen=True)
class MeanBleuPlusOne(Metric):
    """Mean of BLEU+1 over sentences, 0 to 100.   extensions: use those of Nakov et al. (2012)."""

    name: ClassVar[str] = "bleu+1"
    label: ClassVar[str] = "BLEU+1"

    extensions: bool = False
    lowercase: bool = False
    tokenize: str = "none"

    @property
    def width(self) -> int:
        """The score and the number of sentences."""
        return 2

    def prepare(self, references: GivenReferences) -> Prepared:
        smoothing = BleuPlusOne.nakov() if self.extensions else BleuPlusOne()
        return _PreparedMean(Bleu(lowercase=self.lowercase, tokenize=self.tokenize).prepare(references), smoothing)

    def score(self, statistics: Floats) -> Floats:
        return mean_of_sums(statistics, 100.0)

    def settings(self) -> dict[str, str | int | float | bool]:
        text = Bleu(lowercase=self.lowercase, tokenize=self.tokenize).settings()
        return {"case": text["case"], "tok": text["tok"], **({"smooth": "nakov"} if self.extensions else {})}


class _PreparedMean(Prepared):
    def __init__(self, prepared: Prepared, smoothing: BleuPlusOne) -> None:
        self._prepared, self._smoothing, self.counts = prepared, smoothing, prepared.counts

    def rows(self, hypotheses: Sequence[str], sentences: Integers, threads: int) -> Floats:
        return self._scored(self._prepared.rows(hypotheses, sentences, threads))

    def rows_of_words(self, words: Words, sentences: Integers, threads: int) -> Floats:
        return self._scored(self._prepared.rows_of_words(words, sentences, threads))

    def _scored(self, rows: Floats) -> Floats:
        scores = self._smoothing.scores(rows)
        return np.column_stack([scores, np.ones_like(scores)])


def mean_of_sums(statistics: Floats, factor: float = 1.0) -> Floats:
    """Sum over count, with 0 for no sentence."""
    sums, counts = statistics[..., 0], statistics[..., 1]
    return factor * np.divide(sums, counts, out=np.zeros_like(sums), where=counts > 0)
