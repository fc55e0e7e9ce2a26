"""What a metric is: statistics of each hypothesis, summed, turned into a score.

    prepared = metric.prepare(references)          # once per reference set
    rows = prepared.statistics(hypotheses)         # one row per hypothesis, float64
    metric.score(rows.sum(axis=0))                 # the corpus score

Everything built on a metric (bootstrap, tuners, oracles) uses these three steps and nothing else.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunesmith import _core
from tunesmith.checks import kind_of
from tunesmith.corpus.given_text import GivenLines, GivenReferences, lines_of, references_of
from tunesmith.errors import ConfigError, WrongTypeError
from tunesmith.io import StrPath
from tunesmith.registry import Registry
from tunesmith.settings import parse_named, read_settings
from tunesmith.signature import Signature
from tunesmith.user_files import run_file

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
SentenceBleu = Literal["plus_one", "interpolated"]


class Words(Protocol):
    """Hypotheses as ids: hypothesis i has the words `vocabulary[id] for id in ids[offsets[i]:offsets[i + 1]]`."""

    @property
    def vocabulary(self) -> Sequence[str]:
        """The words that ids stand for."""

    @property
    def ids(self) -> NDArray[np.uint32]:
        """The words of all hypotheses, one after the other."""

    @property
    def offsets(self) -> Integers:
        """Where each hypothesis begins, and the end."""

    def text(self, hypothesis: int, /) -> str:
        """Return the words of a hypothesis with blanks between."""


class Prepared(ABC):
    """References of many sentences, ready to be matched with hypotheses.

    `counts` holds the number of different references of each sentence.
    """

    counts: Integers

    @abstractmethod
    def rows(self, hypotheses: Sequence[str], sentences: Integers, threads: int) -> Floats:
        """Return statistics of hypotheses[i] for sentence sentences[i]; sentence numbers are valid."""

    def rows_of_words(self, words: Words, sentences: Integers, threads: int) -> Floats:
        """Return `rows` of the texts of `words`. A metric of words overrides it, to count ids instead."""
        return self.rows([words.text(at) for at in range(len(sentences))], sentences, threads)

    def statistics(
        self, hypotheses: GivenLines, sentences: ArrayLike | None = None, *, threads: int = 1
    ) -> Floats:
        """Return one row per hypothesis, of a list or a file.

        Without `sentences` there must be one hypothesis for each sentence, in order.
        """
        texts = lines_of(hypotheses, "hypotheses")
        return self.rows(texts, self._numbers(len(texts), sentences), threads)

    def statistics_of_words(self, words: Words, sentences: ArrayLike | None = None, *, threads: int = 1) -> Floats:
        """Return `statistics` of hypotheses given as ids of words."""
        return self.rows_of_words(words, self._numbers(len(words.offsets) - 1, sentences), threads)

    def _numbers(self, hypotheses: int, sentences: ArrayLike | None) -> Integers:
        """Return the sentence of each hypothesis, checked."""
        size = len(self.counts)
        if sentences is None:
            if hypotheses != size:
                raise ConfigError(
                    f"{hypotheses} hypotheses for {size} sentences. Give one for each sentence, or say "
                    "which sentence each belongs to with `sentences`."
                )
            return np.arange(size, dtype=np.int64)
        numbers = np.ascontiguousarray(sentences, dtype=np.int64)
        if numbers.shape != (hypotheses,):
            raise ConfigError(f"{hypotheses} hypotheses but sentence numbers of shape {numbers.shape}")
        if numbers.size and not (numbers.min() >= 0 and numbers.max() < size):
            raise ConfigError(f"sentence numbers must lie between 0 and {size - 1}, both included")
        return numbers


@dataclass(frozen=True)
class BleuSmoothing:
    """What stands for an order without matches: `none`, `floor`, `add_k` or `exp`, and the floor or the k."""

    name: str = "exp"
    value: float = 0.0

    @property
    def native(self) -> _core.Smoothing:
        """The smoothing for kernels of the core."""
        return _core.Smoothing[self.name]


@dataclass(frozen=True)
class WordNgrams:
    """Statistics are two lengths, then matches and n-grams per order.

    reference_length: which one counts, `closest`, `shortest` or `average`.
    preparation: what is done to words before they are counted, each alone; None if nothing is.
    information: matches are sums of NIST information weights, and the metric is NIST. Otherwise it is like BLEU.
    """

    order: int
    reference_length: str
    preparation: Callable[[Sequence[str]], Sequence[str]] | None = None
    information: bool = False

    @property
    def length_rule(self) -> _core.LengthRule:
        return _core.LengthRule[self.reference_length]


class Metric(ABC):
    """A corpus metric. Settings are fixed at construction (frozen dataclasses)."""

    name: ClassVar[str]
    """The name a user types."""
    label: ClassVar[str]
    """The name printed before a score."""

    @property
    def higher_is_better(self) -> bool:
        """False for error rates."""
        return True

    @property
    def scale(self) -> float:
        """The size of a perfect score: tuners see scores as shares of it."""
        return 100.0

    @property
    @abstractmethod
    def width(self) -> int:
        """Numbers in a row of statistics."""

    @abstractmethod
    def prepare(self, references: Sequence[Sequence[str]]) -> Prepared:
        """Read references: for each sentence the sequence of its references, repeats allowed.

        Our metrics take files too, and one text for each sentence.
        """

    @property
    def needs_source(self) -> bool:
        """Whether the metric looks at source sentences too; see `prepare_for`."""
        return False

    def prepare_for(self, references: GivenReferences, sources: GivenLines | None = None) -> Prepared:
        """Call `prepare` where source sentences are known. A metric that needs them overrides it."""
        return self.prepare(references_of(references))

    def _source(self, sources: GivenLines | None) -> GivenLines:
        """Return the sources; ConfigError without any."""
        if sources is None:
            raise ConfigError(
                f"{self.label} looks at the source sentences: give them too (--source FILE; in Python, sources=…)"
            )
        return sources

    @abstractmethod
    def score(self, statistics: Floats) -> Floats:
        """Return scores of summed statistics; the last axis holds the statistics, the others are kept."""

    def sentence_scores(self, rows: Floats) -> Floats:
        """Return scores of single sentences; a metric whose corpus score does not suit them overrides it."""
        return self.score(rows)

    def sentence_gains(
        self, rows: Floats, *, brevity: float = 0.0, sentence_bleu: SentenceBleu = "plus_one"
    ) -> Floats:
        """Return what single candidates are worth to a tuner: shares of a perfect score, errors negative.

        brevity: words by which references count as longer.   sentence_bleu: the version of BLEU for sentences.
        Metrics that are not like BLEU need neither.
        """
        share = 1.0 / self.scale if self.higher_is_better else -1.0 / self.scale
        return share * self.sentence_scores(rows)

    def lengths(self, rows: NDArray[Any]) -> Floats | None:
        """Return words of each candidate by its statistics; None if they do not say."""
        return None

    @property
    def bleu_smoothing(self) -> BleuSmoothing | None:
        """The smoothing of a metric that is BLEU times `scale` of statistics laid out as those of `Bleu`.

        Tuners then use their kernels for BLEU, without asking the metric. None for all other metrics.
        """
        return None

    @property
    def word_ngrams(self) -> WordNgrams | None:
        """How the metric counts n-grams of the words as they are, so that search graphs can be searched for it.

        None for metrics that count something else.
        """
        return None

    @property
    def prepared_ngrams(self) -> WordNgrams | None:
        """The statistics of words, which are lower-cased or tokenised first, each alone, or left unchanged."""
        return self.word_ngrams

    @abstractmethod
    def settings(self) -> dict[str, str | int | float | bool]:
        """Return what changes a score, in the order of the signature."""

    def details(self, totals: Floats) -> dict[str, float]:
        """Return parts of the score that a reader may want to see."""
        return {}

    def signature(self, prepared: Prepared) -> Signature:
        """Return name, number of references and settings."""
        return Signature(self.label, {"nrefs": reference_range(prepared.counts), **self.settings()})

    def corpus_score(
        self, hypotheses: GivenLines, references: GivenReferences, sources: GivenLines | None = None
    ) -> float:
        """Return the score of one hypothesis per sentence, in one call; all are texts or files."""
        texts = lines_of(hypotheses, "hypotheses")
        prepared = self.prepare_for(references_of(references, len(texts)), sources)
        return float(self.score(prepared.statistics(texts).sum(axis=0)))


def reference_range(counts: Integers) -> str | int:
    """Return how many references there are: one number, or the range where sentences differ."""
    if counts.size == 0:
        return 0
    low, high = int(counts.min()), int(counts.max())
    return low if low == high else f"{low}-{high}"


metrics: Registry[Metric] = Registry("metric", "tunesmith.metrics")


def metric_of(given: Metric | str) -> Metric:
    """Return the metric, made from a name such as `chrf` or `chrf:beta=3` if need be; ConfigError otherwise."""
    if isinstance(given, str):
        name, settings = parse_named(given)
        return metrics.make(name, **read_settings(metrics.get(name), settings, name))
    if not isinstance(given, Metric):
        raise WrongTypeError(f"metric must be a name or a metric such as Bleu(), got {kind_of(given)}")
    return given


def metrics_from(path: StrPath) -> None:
    """Run a Python file that registers metrics. Only ever called with a path that the user typed."""
    run_file(path, "metrics", "tunesmith_metrics")
