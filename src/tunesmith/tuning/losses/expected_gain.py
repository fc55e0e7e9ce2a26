"""Expected sentence score (minimum risk)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.checks import above, finite
from tunesmith.metrics.base import Metric, SentenceBleu
from tunesmith.search.candidates import CandidateSet
from tunesmith.tuning.losses.base import Floats, Loss, losses
from tunesmith.tuning.losses.gains import check_gains
from tunesmith.tuning.pools.base import Expectation, Sums


@losses.register("expected_gain")
@dataclass(frozen=True)
class ExpectedGain(Loss[Sums, Expectation]):
    """The negative expected sentence metric of a candidate drawn from the model, mean over sentences.

    Smith and Eisner (2006); Cherry and Foster (2012), section 2.4, per sentence and not summed. Not convex: the
    result depends on the start.

    scale: what scores are multiplied with before they become probabilities, one over the temperature; large values
        approach the best candidate.
    entropy: how much the entropy of the candidates of a sentence is worth (the temperature T of Smith and Eisner);
        above 0 the model stays undecided, below 0 it is sharpened.
    brevity: words by which references count as longer in sentence BLEU, against short output (Nakov et al. 2012).
    sentence_bleu: BLEU `plus_one`, or `interpolated` between the orders (Liang et al. 2006).
    """

    pool: ClassVar[type] = Sums

    scale: float = 1.0
    entropy: float = 0.0
    brevity: float = 0.5
    sentence_bleu: SentenceBleu = "plus_one"

    def __post_init__(self) -> None:
        above(0, scale=self.scale)
        finite(scale=self.scale, entropy=self.entropy)
        check_gains(self.brevity, self.sentence_bleu)

    @property
    def objective(self) -> type:
        """The expectation of a pool."""
        return Expectation

    def prepare(self, pool: Sums, metric: Metric, seed: int) -> Expectation:
        """Nothing is random but the order of sentences, which an optimizer may choose."""
        return pool.expectation(metric, self)


class ExpectedGainOfLists:
    """The objective of `ExpectedGain` for given gains of all candidates."""

    def __init__(self, candidates: CandidateSet, gains: Floats, scale: float = 1.0, entropy: float = 0.0) -> None:
        self.candidates, self.gains, self.scale, self.entropy = candidates, gains, scale, entropy
        self.columns = candidates.columns

    @property
    def sentences(self) -> int:
        """The number of sentences an order is made of."""
        return self.candidates.sentences

    def value(self, w: Floats, *, threads: int = 1) -> float:
        """-E[gain] - entropy · H(p), mean over sentences."""
        lists = self.candidates.native
        return _core.expected_gain(lists, self.gains, self.scale, self.entropy, w, False, threads)[0]

    def value_and_grad(self, w: Floats, *, threads: int = 1) -> tuple[float, Floats]:
        """The same, and its gradient; without entropy that is -scale · (E[gain · H] - E[gain] · E[H])."""
        lists = self.candidates.native
        return _core.expected_gain(lists, self.gains, self.scale, self.entropy, w, True, threads)

    def still_columns(self) -> NDArray[np.int64]:
        """Features that no candidate has."""
        return self.candidates.zero_columns()

    def descend(self, w: Floats, order: NDArray[np.uint32], rate: float, l2: float, steps: int) -> int:
        """Steps of gradient descent on single sentences and ½ · l2 · ‖w‖², in this order; changes `w`.

        Rates are rate / (1 + rate · l2 · t), t counted on from `steps`. Gives the steps made so far.
        """
        return _core.descend_expected_gain(
            self.candidates.native, self.gains, self.scale, self.entropy, w, order, rate, l2, steps
        )
