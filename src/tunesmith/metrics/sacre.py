"""chrF (Popović 2015) and TER (Snover et al. 2006), with the statistics and scores of sacrebleu 2.

Statistics are computed by the core, and tests hold every row equal to sacrebleu's. Words of TER that are
normalised or stripped of punctuation come from sacrebleu's tokeniser, which is Tercom's. Scores of summed
statistics are computed here, many at once, because a randomisation test asks for ten thousands of them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from tunesmith import _core
from tunesmith.checks import at_least, within
from tunesmith.corpus.given_text import GivenReferences, references_of
from tunesmith.metrics.base import Floats, Integers, Metric, Prepared, metrics

Normalise = Callable[[str], str]
"""What is done to a text before it is counted."""


class _Kernel(Protocol):
    """References of the core."""

    def add(self, sentences: Sequence[Sequence[str]], /) -> None:
        """Add sentences, each with its references."""

    def statistics(self, hypotheses: Sequence[str], sentences: Integers, threads: int) -> Floats:
        """Return one row for each hypothesis."""


class _PreparedTexts(Prepared):
    """References in a kernel; repeated ones are read once."""

    def __init__(self, kernel: _Kernel, references: Sequence[Sequence[str]], normalise: Normalise | None) -> None:
        self._kernel, self._normalise = kernel, normalise
        different = [list(dict.fromkeys(self._read(sentence))) for sentence in references]
        kernel.add([self._read(sentence) for sentence in different])  # twice, as sacrebleu does
        self.counts = np.array([len(sentence) for sentence in different], dtype=np.int64)

    def rows(self, hypotheses: Sequence[str], sentences: Integers, threads: int) -> Floats:
        return self._kernel.statistics(self._read(hypotheses), sentences, threads)

    def _read(self, texts: Sequence[str]) -> Sequence[str]:
        return texts if self._normalise is None else [self._normalise(text) for text in texts]


class _TextMetric(Metric):
    @abstractmethod
    def _make_kernel(self) -> _Kernel: ...

    @abstractmethod
    def _normalisation(self) -> Normalise | None: ...

    def prepare(self, references: GivenReferences) -> Prepared:
        return _PreparedTexts(self._make_kernel(), references_of(references), self._normalisation())


def _sacrebleu_version() -> str:
    """Return the release whose statistics these are."""
    import importlib.metadata

    return importlib.metadata.version("sacrebleu")


@metrics.register("chrf")
@dataclass(frozen=True)
class ChrF(_TextMetric):
    """Character n-gram F-score; `word_order=2` is chrF++."""

    name: ClassVar[str] = "chrf"
    label: ClassVar[str] = "chrF"

    char_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False

    def __post_init__(self) -> None:
        within(1, 99, char_order=self.char_order)
        within(0, 99, word_order=self.word_order)
        at_least(0, beta=self.beta)

    @property
    def width(self) -> int:
        """Hypothesis, reference and common n-grams per order."""
        return 3 * (self.char_order + self.word_order)

    def _make_kernel(self) -> _Kernel:
        return _core.ChrfReferences(self.char_order, self.word_order, self.beta)

    def _normalisation(self) -> Normalise | None:
        return str.lower if self.lowercase else None

    def score(self, statistics: Floats) -> Floats:
        """Compute F_β of mean precision and recall over the orders of both sides (sacrebleu since 2.0)."""
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
            "sacrebleu": _sacrebleu_version(),
        }


@metrics.register("chrf++")
def _chrf_plus_plus(char_order: int = 6, beta: int = 2, lowercase: bool = False) -> ChrF:
    return ChrF(char_order=char_order, word_order=2, beta=beta, lowercase=lowercase)


def _words(text: str) -> str:
    """Return the text with one blank between words: references that are the same then count once."""
    return " ".join(text.split())


def _lower_words(text: str) -> str:
    return _words(text.lower())


@metrics.register("ter")
@dataclass(frozen=True)
class Ter(_TextMetric):
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

    def _make_kernel(self) -> _Kernel:
        return _core.TerReferences()

    def _normalisation(self) -> Normalise | None:
        if not self.normalized and not self.no_punctuation:
            return _lower_words if self.lowercase else _words
        from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

        tokenizer = TercomTokenizer(self.normalized, self.no_punctuation, case_sensitive=not self.lowercase)
        return lambda text: str(tokenizer(text.rstrip()))

    def score(self, statistics: Floats) -> Floats:
        """Compute edits per reference word; 100 for edits without any reference word."""
        rows = np.asarray(statistics, dtype=np.float64)
        edits, length = rows[..., 0], rows[..., 1]
        without = np.asarray(np.where(edits > 0, 1.0, 0.0))
        return np.asarray(100.0 * np.divide(edits, length, out=without, where=length > 0))

    def settings(self) -> dict[str, str | int | float | bool]:
        return {
            "case": "lc" if self.lowercase else "mixed",
            "norm": self.normalized,
            "punct": not self.no_punctuation,
            "sacrebleu": _sacrebleu_version(),
        }
