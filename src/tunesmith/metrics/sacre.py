"""chrF (Popović 2015) and TER (Snover et al. 2006), with statistics taken from sacrebleu.

sacrebleu has no public call for statistics of single hypotheses; the three methods used here are the ones its own
paired tests use, and a test holds the results equal to `corpus_score`. Scores of summed statistics are computed
here, many at once, because a randomisation test asks for ten thousands of them.
"""

from __future__ import annotations

import importlib.metadata
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from tunesmith.checks import at_least
from tunesmith.corpus.given_text import GivenReferences, references_of
from tunesmith.metrics.base import Floats, Integers, Metric, Prepared, metrics

if TYPE_CHECKING:
    import sacrebleu.metrics.base


class _PreparedSacre(Prepared):
    """References in sacrebleu's own form; repeated references are read once."""

    def __init__(
        self, judge: sacrebleu.metrics.base.Metric, references: Sequence[Sequence[str]], width: int
    ) -> None:
        self._judge, self._width = judge, width
        self._references: list[dict[str, Any]] = []
        counts = []
        for sentence in references:
            texts = list(dict.fromkeys(judge._preprocess_segment(reference) for reference in sentence))
            counts.append(len(texts))
            self._references.append(judge._extract_reference_info(texts))
        self.counts = np.array(counts, dtype=np.int64)

    def rows(self, hypotheses: Sequence[str], sentences: Integers, threads: int) -> Floats:
        judge = self._judge
        rows = np.empty((len(hypotheses), self._width))
        for row, hypothesis, sentence in zip(rows, hypotheses, sentences, strict=True):
            text = judge._preprocess_segment(hypothesis)
            row[:] = judge._compute_segment_statistics(text, self._references[sentence])
        return rows


class _SacreMetric(Metric):
    @cached_property
    @abstractmethod
    def judge(self) -> sacrebleu.metrics.base.Metric:
        """The metric of sacrebleu with these settings."""

    def prepare(self, references: GivenReferences) -> Prepared:
        return _PreparedSacre(self.judge, references_of(references), self.width)


@metrics.register("chrf")
@dataclass(frozen=True)
class ChrF(_SacreMetric):
    """Character n-gram F-score; `word_order=2` is chrF++."""

    name: ClassVar[str] = "chrf"
    label: ClassVar[str] = "chrF"

    char_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False

    def __post_init__(self) -> None:
        at_least(1, char_order=self.char_order)
        at_least(0, word_order=self.word_order, beta=self.beta)

    @property
    def width(self) -> int:
        """Hypothesis, reference and common n-grams per order."""
        return 3 * (self.char_order + self.word_order)

    @cached_property
    def judge(self) -> sacrebleu.metrics.base.Metric:
        from sacrebleu.metrics.chrf import CHRF

        return CHRF(self.char_order, self.word_order, self.beta, lowercase=self.lowercase)

    def score(self, statistics: Floats) -> Floats:
        """F_β of mean precision and mean recall over the orders that both sides have (sacrebleu since 2.0)."""
        triples = np.asarray(statistics, dtype=np.float64).reshape(*np.shape(statistics)[:-1], -1, 3)
        hypothesis, reference, common = triples[..., 0], triples[..., 1], triples[..., 2]
        counted = (hypothesis > 0) & (reference > 0)
        orders = np.maximum(counted.sum(axis=-1), 1)
        precision = np.divide(common, hypothesis, out=np.zeros_like(common), where=counted).sum(axis=-1) / orders
        recall = np.divide(common, reference, out=np.zeros_like(common), where=counted).sum(axis=-1) / orders
        factor = self.beta**2
        weighted = np.asarray(factor * precision + recall)
        above = (1 + factor) * precision * recall
        return np.asarray(100.0 * np.divide(above, weighted, out=np.zeros_like(weighted), where=weighted > 0))

    def settings(self) -> dict[str, str | int | float | bool]:
        return {
            "case": "lc" if self.lowercase else "mixed",
            "nc": self.char_order,
            "nw": self.word_order,
            "beta": self.beta,
            "sacrebleu": importlib.metadata.version("sacrebleu"),
        }


@metrics.register("chrf++")
def _chrf_plus_plus(char_order: int = 6, beta: int = 2, lowercase: bool = False) -> ChrF:
    return ChrF(char_order=char_order, word_order=2, beta=beta, lowercase=lowercase)


@metrics.register("ter")
@dataclass(frozen=True)
class Ter(_SacreMetric):
    """Translation edit rate: edits per reference word, in percent; lower is better."""

    name: ClassVar[str] = "ter"
    label: ClassVar[str] = "TER"

    lowercase: bool = False
    normalized: bool = False
    no_punctuation: bool = False

    @property
    def higher_is_better(self) -> bool:
        return False

    @property
    def width(self) -> int:
        """Edits and average reference length."""
        return 2

    @cached_property
    def judge(self) -> sacrebleu.metrics.base.Metric:
        from sacrebleu.metrics.ter import TER

        return TER(self.normalized, self.no_punctuation, case_sensitive=not self.lowercase)

    def score(self, statistics: Floats) -> Floats:
        """Edits per reference word; 100 for edits without any reference word."""
        rows = np.asarray(statistics, dtype=np.float64)
        edits, length = rows[..., 0], rows[..., 1]
        without = np.asarray(np.where(edits > 0, 1.0, 0.0))
        return np.asarray(100.0 * np.divide(edits, length, out=without, where=length > 0))

    def settings(self) -> dict[str, str | int | float | bool]:
        return {
            "case": "lc" if self.lowercase else "mixed",
            "norm": self.normalized,
            "punct": not self.no_punctuation,
            "sacrebleu": importlib.metadata.version("sacrebleu"),
        }
