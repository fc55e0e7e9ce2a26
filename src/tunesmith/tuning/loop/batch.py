"""Batch tuning: decode, merge, optimise, measure (Cherry and Foster 2012, section 2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tunesmith.checks import at_least
from tunesmith.errors import ConfigError
from tunesmith.tuning import compat
from tunesmith.tuning.loop.parts import Parts
from tunesmith.tuning.loop.plan import Plan, Planner, Sources, check_rounds
from tunesmith.tuning.loop.steps import Decode, Measure, Merge, Optimise
from tunesmith.tuning.optimizers.online import OnlineOptimizer
from tunesmith.tuning.pools.base import Projectable


@dataclass(frozen=True)
class BatchRounds(Planner):
    """Rounds of decoding and optimising. With training data weights are learnt on it, and measured on dev.

        round 0      decode, measure                      the start weights
        round 1, …   merge, optimise, decode, measure     what was decoded last is merged first

    So every row of the history is about one weight vector, with the score of its own decoding.

    rounds: the most of them; where the translations do not depend on the weights, one says all.
    interpolation: share of a round's new weights (ψ in Hopkins and May 2011), the rest is that of the weights
        before; where no later round could go the rest of the way, the new weights count alone.
    min_sentences: features that fire in the lists of fewer sentences take no part, the frequency cut-off of Green
        et al. (2014, section 6.1). Features with a start weight always do.
    """

    rounds: int = 15
    interpolation: float = 1.0
    min_sentences: int = 1

    def __post_init__(self) -> None:
        check_rounds(self.rounds, self.interpolation)
        at_least(1, min_sentences=self.min_sentences)

    def check(self, parts: Parts, sources: Sources) -> None:
        """Check that the source to learn from offers what the loss needs."""
        if isinstance(parts.optimizer, OnlineOptimizer):
            raise ConfigError(
                f"{type(parts.optimizer).__name__} makes one update a batch: tune with plan=OnlineRounds(), or "
                "with an optimizer such as Lbfgs"
            )
        pool = sources[_learnt_from(sources)].pool
        compat.check_pool(parts.loss, pool)
        if self.min_sentences > 1:
            compat.check_capability("min_sentences", Projectable, pool)

    def plan(self, parts: Parts, sources: Sources) -> Plan:
        used = self.settings(sources)
        source = _learnt_from(sources)
        look = (Decode(), Measure())
        decode = () if source == "dev" else (Decode(source),)
        optimise = Optimise(
            source, parts=parts, interpolation=used["interpolation"], min_sentences=self.min_sentences
        )
        return Plan(look, (*decode, Merge(source), optimise, *look), used["rounds"])

    def settings(self, sources: Sources) -> dict[str, Any]:
        """Return one round, and no interpolation, where the translations are fixed."""
        cut_off = {"min_sentences": self.min_sentences} if self.min_sentences > 1 else {}
        if sources[_learnt_from(sources)].fixed:
            return {"interpolation": 1.0, "rounds": 1, **cut_off}
        return {"interpolation": self.interpolation, "rounds": self.rounds, **cut_off}

    def signature_fields(self, sources: Sources) -> dict[str, Any]:
        """Return what differs from plain batch tuning: a signature that names no plan is one of it."""
        if type(self) is not BatchRounds:
            found = super().signature_fields(sources)
            if self.min_sentences == 1:  # as before there was a cut-off
                del found["plan"]["min_sentences"]
            return found
        return {"min_sentences": self.min_sentences} if self.min_sentences > 1 else {}


def _learnt_from(sources: Sources) -> str:
    return "train" if "train" in sources else "dev"
