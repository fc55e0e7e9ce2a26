"""BLEU for single sentences, for tuners and for looking at data. All work on rows of BLEU statistics.

`BleuPlusOne` and `InterpolatedBleu` need the row alone; `PseudoCorpusBleu` and `DocumentBleu` score a sentence
inside a corpus that they remember. Scores lie between 0 and 1 unless said otherwise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tunesmith import _core
from tunesmith.checks import at_least, finite, one_of, within
from tunesmith.errors import ConfigError
from tunesmith.metrics.base import Floats, SentenceBleu


@dataclass(frozen=True)
class BleuPlusOne:
    """BLEU+1 (Lin and Och 2004): one match and one n-gram are added from order 2 on.

    Extensions of Nakov et al. (2012), who show that plain BLEU+1 makes tuners prefer short output:
    smooth_unigrams: add one at order 1 as well.   smooth_brevity: add one word to the reference length, so that
    the penalty is smoothed as the precisions are.   grounded: subtract the precision that no match at all would
    get, so that such a hypothesis scores 0 (it needs smooth_unigrams: without it no match scores 0 anyway).
    """

    smooth_unigrams: bool = False
    smooth_brevity: bool = False
    grounded: bool = False

    @classmethod
    def nakov(cls) -> BleuPlusOne:
        """Return all three extensions."""
        return cls(smooth_unigrams=True, smooth_brevity=True, grounded=True)

    def scores(self, statistics: Floats) -> Floats:
        return _core.bleu_plus_one(
            np.ascontiguousarray(statistics), self.smooth_unigrams, self.smooth_brevity, self.grounded
        )


@dataclass(frozen=True)
class InterpolatedBleu:
    """Σ_n BLEU_n / 2^(order-n+1) with unsmoothed BLEU up to order n (Liang et al. 2006, section 4)."""

    def scores(self, statistics: Floats) -> Floats:
        """Return the score of each row; the highest possible is 1 - 2^-order."""
        return _core.bleu_interpolated(np.ascontiguousarray(statistics))


SENTENCE_BLEU: dict[SentenceBleu, BleuPlusOne | InterpolatedBleu] = {
    "plus_one": BleuPlusOne(),
    "interpolated": InterpolatedBleu(),
}


def bleu_gains(rows: Floats, brevity: float = 0.0, sentence_bleu: SentenceBleu = "plus_one") -> Floats:
    """Return sentence gains of metrics that are like BLEU.

    brevity: words by which references count as longer. The smoothing of BLEU+1 forgives short output (Nakov et al.
        2012, who add one word; that is too much for short sentences).
    sentence_bleu: BLEU+1 (Lin and Och 2004), or `interpolated` between the orders (Liang et al. 2006).
    """
    if brevity:
        rows = np.array(rows, dtype=np.float64)
        rows[:, 1] += brevity
    return SENTENCE_BLEU[sentence_bleu].scores(rows)


class PseudoCorpusBleu:
    """BLEU of a sentence inside a decaying corpus of earlier output (Chiang, Marton and Resnik 2008).

    decay: what is left of the past after each sentence (γ; 0.9 there, 0.999 in Cherry and Foster 2012).
    scale: a sentence weighs as much as its text is long. `reference` multiplies by the reference length of
        background + sentence (Cherry and Foster 2012), `source` by the source length likewise (Chiang et al.),
        `none` leaves BLEU between 0 and 1.
    start: every count of the empty background, so that the first scores are not all 0.
    """

    def __init__(
        self,
        decay: float = 0.999,
        scale: Literal["reference", "source", "none"] = "reference",
        start: float = 1.0,
        order: int = 4,
    ) -> None:
        within(0, 1, decay=decay)
        one_of(("reference", "source", "none"), scale=scale)
        at_least(0, start=start)
        finite(start=start)
        self.decay, self.scale = decay, scale
        self.background: Floats = np.full(2 + 2 * order, float(start))
        self.source_length = float(start)

    def scores(self, statistics: Floats, source_length: float = 0.0) -> Floats:
        """Return the score of each row, were it the next sentence."""
        together = self.background + np.atleast_2d(statistics)
        scores: Floats = _core.bleu(together, _core.Smoothing.none, 0.0, False)
        if self.scale == "reference":
            scores *= together[:, 1]
        elif self.scale == "source":
            scores *= self.source_length + source_length
        return scores

    def update(self, row: Floats, source_length: float = 0.0) -> None:
        """Let the past fade and remember the chosen output of a sentence."""
        self.background = self.decay * (self.background + row)
        self.source_length = self.decay * (self.source_length + source_length)


class DocumentBleu:
    """Approximated document BLEU (Watanabe et al. 2007): one oracle replaced in the corpus of oracles.

    oracles: one row of statistics per sentence; sentences without an oracle yet have zero rows.
    """

    def __init__(self, oracles: Floats) -> None:
        self.oracles = np.array(oracles, dtype=np.float64)
        self.total = self.oracles.sum(axis=0)

    def scores(self, sentence: int, statistics: Floats) -> Floats:
        """Return BLEU of the document with each candidate in place of the sentence's oracle."""
        self._check(sentence)
        documents = self.total - self.oracles[sentence] + np.atleast_2d(statistics)
        return _core.bleu(documents, _core.Smoothing.none, 0.0, False)

    def replace(self, sentence: int, row: Floats) -> None:
        """Make this row the oracle of the sentence."""
        self._check(sentence)
        self.total = self.total - self.oracles[sentence] + row
        self.oracles[sentence] = row

    def _check(self, sentence: int) -> None:
        if not 0 <= sentence < len(self.oracles):
            raise ConfigError(f"sentence {sentence} is not between 0 and {len(self.oracles) - 1}")
