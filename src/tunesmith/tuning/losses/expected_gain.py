"""Expected sentence score (minimum risk)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from tunesmith.checks import above, finite, one_of
from tunesmith.metrics.base import Metric, SentenceBleu
from tunesmith.tuning.losses.base import Loss, losses
from tunesmith.tuning.objectives import Expectation
from tunesmith.tuning.pools.base import Sums
from tunesmith.tuning.pools.gains import check_gains


@losses.register("expected_gain")
@dataclass(frozen=True)
class ExpectedGain(Loss[Sums, Expectation]):
    """The negative expected sentence metric of a candidate drawn from the model, mean over sentences.

    Smith and Eisner (2006); Cherry and Foster (2012), section 2.4, per sentence and not summed. Not convex: the
    result depends on the start.

    scale: factor of scores before they become probabilities, the inverse temperature; large values approach the
        best candidate.   entropy: weight of the entropy of the candidates of a sentence (the temperature T of
        Smith and Eisner); above 0 it flattens the model, below 0 it sharpens it.   brevity: words added to the
        reference length in sentence BLEU, against short output (Nakov et al. 2012).
    sentence_bleu: BLEU `plus_one`, or `interpolated` between the orders (Liang et al. 2006).
    by_length: gains of a sentence are unscaled (`none`), or multiplied by its shortest `reference` length, so that
        sentences count by their words, and gradients fit the penalties of Green et al. (2014).
    """

    pool: ClassVar[type] = Sums
    objective: ClassVar[type] = Expectation

    scale: float = 1.0
    entropy: float = 0.0
    brevity: float = 0.5
    sentence_bleu: SentenceBleu = "plus_one"
    by_length: Literal["none", "reference"] = "none"

    def __post_init__(self) -> None:
        above(0, scale=self.scale)
        finite(scale=self.scale, entropy=self.entropy)
        one_of(("none", "reference"), by_length=self.by_length)
        check_gains(self.brevity, self.sentence_bleu)

    def prepare(self, pool: Sums, metric: Metric, seed: int) -> Expectation:
        return pool.expectation(
            metric,
            scale=self.scale,
            entropy=self.entropy,
            brevity=self.brevity,
            sentence_bleu=self.sentence_bleu,
            by_length=self.by_length == "reference",
        )
