"""BLEU-4 (Papineni et al. 2002) with several references."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.checks import at_least, finite, given, one_of, within
from tunesmith.corpus.given_text import GivenReferences, references_of
from tunesmith.errors import ConfigError
from tunesmith.metrics.base import (
    BleuSmoothing,
    Floats,
    Integers,
    Metric,
    Prepared,
    SentenceBleu,
    WordNgrams,
    Words,
    metrics,
)
from tunesmith.metrics.sentence_bleu import bleu_gains
from tunesmith.metrics.text import Preparation

ReferenceLength = Literal["closest", "shortest", "average"]
# The default value of a smoothing that has one (Chen and Cherry 2014), None for one that has none.
SMOOTHING: dict[str, float | None] = {"none": None, "floor": 0.1, "add_k": 1.0, "exp": None}


class PreparedNgrams(Prepared):
    """References as n-gram tables of the core."""

    def __init__(
        self,
        references: Sequence[Sequence[str]],
        order: int,
        length: ReferenceLength,
        preparation: Preparation,
        *,
        information: bool = False,
    ) -> None:
        self._preparation, self._information = preparation, information
        self._length = getattr(_core.LengthRule, length)
        self._ngrams = _core.ReferenceNgrams(order)
        self._ngrams.add([preparation(sentence) for sentence in references])
        if information:
            self._ngrams.compute_information()
        self.counts = self._ngrams.reference_counts()

    def rows(self, hypotheses: Sequence[str], sentences: Integers, threads: int) -> Floats:
        """Return hypothesis length, reference length, matches per order, n-grams per order."""
        lines = self._preparation(hypotheses)
        return self._ngrams.statistics(lines, sentences, self._length, self._information, threads)

    def rows_of_words(self, words: Words, sentences: Integers, threads: int) -> Floats:
        """Return `rows` of ids: each different word is prepared and looked up once, where that is possible."""
        if not self._preparation.word_by_word:
            return super().rows_of_words(words, sentences, threads)
        there = np.zeros(len(words.vocabulary), dtype=np.bool_)
        there[words.ids] = True
        numbers = np.flatnonzero(there)
        texts = self._preparation([words.vocabulary[number] for number in numbers.tolist()])
        return self._ngrams.word_statistics(
            texts,
            numbers,
            words.ids,
            words.offsets,
            sentences,
            self._length,
            self._information,
            threads,
        )


@metrics.register("bleu")
@dataclass(frozen=True)
class Bleu(Metric):
    """BLEU on the scale 0 to 100; equal to sacrebleu with the same settings.

    reference_length: which reference length counts for the brevity penalty where there are several. The average is
        over the different references of a sentence, so padding a reference file changes nothing.
    smoothing: what stands for an order without matches: `none`, `floor`, `add_k` or `exp` (the default of
        sacrebleu and mteval-v13a; it matters for tiny corpora only). `smoothing_value` is the floor or the k.
    """

    name: ClassVar[str] = "bleu"
    label: ClassVar[str] = "BLEU"

    order: int = 4
    reference_length: ReferenceLength = "closest"
    smoothing: str = "exp"
    smoothing_value: float | None = None
    lowercase: bool = False
    tokenize: str = "none"

    def __post_init__(self) -> None:
        within(1, 9, order=self.order)
        one_of(get_args(ReferenceLength), reference_length=self.reference_length)
        one_of(SMOOTHING, smoothing=self.smoothing)
        if self.smoothing_value is not None and SMOOTHING[self.smoothing] is None:
            raise ConfigError(f"smoothing {self.smoothing!r} takes no value; floor and add_k do")
        at_least(0, **given(smoothing_value=self.smoothing_value))
        finite(**given(smoothing_value=self.smoothing_value))
        Preparation(self.lowercase, self.tokenize)

    @property
    def width(self) -> int:
        """Two lengths, then matches and n-grams per order."""
        return 2 + 2 * self.order

    def prepare(self, references: GivenReferences) -> PreparedNgrams:
        """Count the n-grams of all references."""
        preparation = Preparation(self.lowercase, self.tokenize)
        return PreparedNgrams(references_of(references), self.order, self.reference_length, preparation)

    def score(self, statistics: Floats) -> Floats:
        return self._scores(statistics, effective_order=False)

    def sentence_scores(self, rows: Floats) -> Floats:
        """Leave out orders longer than the sentence, as sacrebleu's sentence_bleu: else short ones score 0."""
        return self._scores(rows, effective_order=True)

    def sentence_gains(
        self, rows: Floats, *, brevity: float = 0.0, sentence_bleu: SentenceBleu = "plus_one"
    ) -> Floats:
        return bleu_gains(rows, brevity, sentence_bleu)

    def lengths(self, rows: NDArray[Any]) -> Floats:
        return rows[:, 0].astype(np.float64)

    @property
    def bleu_smoothing(self) -> BleuSmoothing:
        return BleuSmoothing(self.smoothing, self._value)

    @property
    def word_ngrams(self) -> WordNgrams | None:
        as_they_are = Preparation(self.lowercase, self.tokenize) == Preparation()
        return WordNgrams(self.order, self.reference_length) if as_they_are else None

    @property
    def prepared_ngrams(self) -> WordNgrams | None:
        preparation = Preparation(self.lowercase, self.tokenize)
        alone = preparation.word_by_word
        return self.word_ngrams or (WordNgrams(self.order, self.reference_length, preparation) if alone else None)

    def _scores(self, statistics: Floats, *, effective_order: bool) -> Floats:
        rows = np.ascontiguousarray(statistics, dtype=np.float64)
        smoothing = self.bleu_smoothing
        scores = _core.bleu(rows.reshape(-1, self.width), smoothing.native, smoothing.value, effective_order)
        return 100.0 * scores.reshape(rows.shape[:-1])

    @property
    def _value(self) -> float:
        default = SMOOTHING[self.smoothing]
        return self.smoothing_value if self.smoothing_value is not None else default or 0.0

    def settings(self) -> dict[str, str | int | float | bool]:
        """Return the settings; order and reference length are named where they are not the usual ones."""
        text = Preparation(self.lowercase, self.tokenize).settings()
        smooth = self.smoothing if SMOOTHING[self.smoothing] is None else f"{self.smoothing}[{self._value:g}]"
        usual = {} if self.reference_length == "closest" else {"reflen": self.reference_length}
        order = {} if self.order == 4 else {"order": self.order}
        return {**text, **order, **usual, "smooth": smooth}

    def details(self, totals: Floats) -> dict[str, float]:
        """Return precisions, brevity penalty and lengths."""
        length, reference = float(totals[0]), float(totals[1])
        matches, ngrams = totals[2 : 2 + self.order], totals[2 + self.order :]
        precisions = 100.0 * np.divide(matches, ngrams, out=np.zeros(self.order), where=ngrams > 0)
        penalty = 1.0 if length >= reference else float(np.exp(1 - reference / length)) if length else 0.0
        return {
            **{f"precision_{n + 1}": float(p) for n, p in enumerate(precisions)},
            "brevity_penalty": penalty,
            "length_ratio": length / reference if reference else 0.0,
            "hypothesis_length": length,
            "reference_length": reference,
        }
