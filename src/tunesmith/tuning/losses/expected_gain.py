"""Expected sentence score (minimum risk)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.metrics.base import Metric
from tunesmith.search.candidates import CandidateSet
from tunesmith.tuning.losses.base import Floats, losses
from tunesmith.tuning.losses.gains import sentence_gains


@losses.register("expected_gain")
@dataclass(frozen=True)
class ExpectedGain:
    """The negative expected sentence metric of a candidate drawn from the model, mean over sentences.

    Smith and Eisner (2006); Cherry and Foster (2012), section 2.4, per sentence and not summed. For BLEU the
    sentence metric is BLEU+1. Not convex: the result depends on the start.

    scale: what scores are multiplied with before they become probabilities; large values approach the best
    candidate.
    brevity: words by which references count as longer in sentence BLEU, against short output (Nakov et al. 2012).
    """

    offers: ClassVar[frozenset[str]] = frozenset({"value_and_grad"})

    scale: float = 1.0
    brevity: float = 0.5

    def __post_init__(self) -> None:
        if not 0 < self.scale < math.inf:
            raise ConfigError(f"scale = {self.scale}: a number above 0 was expected")
        if not 0 <= self.brevity < math.inf:
            raise ConfigError(f"brevity = {self.brevity}: a number of words of at least 0 was expected")

    def prepare(self, candidates: CandidateSet, metric: Metric, seed: int) -> ExpectedGainOfLists:
        """Nothing is random here."""
        return ExpectedGainOfLists(candidates, sentence_gains(candidates, metric, self.brevity), self.scale)


class ExpectedGainOfLists:
    """The objective of `ExpectedGain` for given gains of all candidates."""

    def __init__(self, candidates: CandidateSet, gains: Floats, scale: float = 1.0) -> None:
        self.candidates, self.gains, self.scale = candidates, gains, scale
        self.features, self.columns = candidates.features, candidates.columns

    def value_and_grad(self, w: Floats, *, threads: int = 1) -> tuple[float, Floats]:
        """-E[gain], and -scale · (E[gain · H] - E[gain] · E[H])."""
        return _core.expected_gain(self.candidates.native, self.gains, self.scale, w, threads)
