"""Hope and fear (MIRA)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from tunesmith.checks import above, at_least, finite, one_of, within
from tunesmith.metrics.base import Metric
from tunesmith.tuning.losses.base import Loss, losses
from tunesmith.tuning.objectives import Floats, Updates
from tunesmith.tuning.pools.base import FEARS, HOPES, HopesAndFears, PseudoCorpus


@dataclass(frozen=True, eq=False)
class Passes:
    """The objective of `HopeFear`: passes of updates, and the corpus score by which the best pass is chosen."""

    pool: HopesAndFears
    metric: Metric
    updates: Updates

    @property
    def columns(self) -> int:
        return self.pool.columns

    @property
    def sentences(self) -> int:
        return self.pool.sentences

    def value(self, w: Floats, *, threads: int = 1) -> float:
        """Compute the corpus metric of the best translations, with the sign that makes smaller values better."""
        return self.pool.best(w, threads=threads).error(self.metric)


@losses.register("hope_fear")
@dataclass(frozen=True)
class HopeFear(Loss[HopesAndFears, Passes]):
    """Structured hinge loss between a hope and a fear candidate (Cherry and Foster 2012, Eq. 2 and Algorithm 1).

    hope: `model+gain` takes the highest score + gain; `gain` the highest gain, ties by score; `exact` is
        `model+gain` with hopes and fears of search graphs by comparing all derivations, for small graphs (lists
        are always compared completely).
    fear: `model-gain` takes the highest score - gain; `model` the highest score.
    decay: factor of the pseudo-corpus after each sentence (γ).
    start: every count of the empty pseudo-corpus, a small positive number.
    scale: BLEU inside the pseudo-corpus is multiplied by the `reference` length of both (Chiang et al. 2008; the
        step cap C = 0.01 presupposes it), or unscaled (`none`).   gain_scale: for metrics unlike BLEU
        (`Metric.bleu_smoothing`): their gain is the score of the sentence times this number (such as a number of
        words).
    """

    pool: ClassVar[type] = HopesAndFears
    objective: ClassVar[type] = Passes

    hope: Literal["model+gain", "gain", "exact"] = "model+gain"
    fear: Literal["model-gain", "model"] = "model-gain"
    decay: float = 0.999
    start: float = 1.0
    scale: Literal["reference", "none"] = "reference"
    gain_scale: float = 20.0

    def __post_init__(self) -> None:
        one_of(HOPES, hope=self.hope)
        one_of(FEARS, fear=self.fear)
        one_of(("reference", "none"), scale=self.scale)
        within(0, 1, decay=self.decay)
        at_least(0, start=self.start)
        above(0, gain_scale=self.gain_scale)
        finite(start=self.start, gain_scale=self.gain_scale)

    def prepare(self, pool: HopesAndFears, metric: Metric, seed: int) -> Passes:
        corpus = PseudoCorpus(self.decay, self.start, by_length=self.scale == "reference")
        return Passes(pool, metric, pool.updates(metric, self.hope, self.fear, corpus, self.gain_scale))
