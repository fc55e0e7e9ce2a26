"""Hope and fear (MIRA)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.metrics.base import Metric
from tunesmith.metrics.bleu import Bleu
from tunesmith.search.candidates import CandidateSet
from tunesmith.tuning.losses.base import Floats, Loss, losses, statistics_of
from tunesmith.tuning.losses.gains import sentence_gains
from tunesmith.tuning.pools.base import Listed

HOPES = {"model+gain": _core.Hope.model_and_gain, "gain": _core.Hope.gain}
FEARS = {"model-gain": _core.Fear.model_without_gain, "model": _core.Fear.model}


@losses.register("hope_fear")
@dataclass(frozen=True)
class HopeFear(Loss[Listed, "HopesAndFears"]):
    """Structured hinge loss between a hope and a fear candidate (Cherry and Foster 2012, Eq. 2 and Algorithm 1).

    hope: `model+gain` takes the highest score + gain; `gain` the highest gain, equal ones by score.
    fear: `model-gain` takes the highest score - gain; `model` the highest score.
    decay: what is left of the pseudo-corpus after each sentence (γ).
    start: every count of the empty pseudo-corpus, a small positive number.
    scale: BLEU inside the pseudo-corpus is multiplied by the `reference` length of both (Chiang et al. 2008; the
        step cap C = 0.01 has its meaning only with it), or taken as it is (`none`).
    gain_scale: for metrics other than BLEU, whose gain is the score of the sentence times this number (of words,
    say).
    """

    pool: ClassVar[type] = Listed

    hope: Literal["model+gain", "gain"] = "model+gain"
    fear: Literal["model-gain", "model"] = "model-gain"
    decay: float = 0.999
    start: float = 1.0
    scale: Literal["reference", "none"] = "reference"
    gain_scale: float = 20.0

    def __post_init__(self) -> None:
        if self.hope not in HOPES:
            raise ConfigError(f"hope = {self.hope!r}: {' or '.join(HOPES)} was expected")
        if self.fear not in FEARS:
            raise ConfigError(f"fear = {self.fear!r}: {' or '.join(FEARS)} was expected")
        if not 0 <= self.decay <= 1:
            raise ConfigError(f"decay = {self.decay}: a number between 0 and 1 was expected")
        if not 0 <= self.start < math.inf:
            raise ConfigError(f"start = {self.start}: a count of at least 0 was expected")
        if self.scale not in ("reference", "none"):
            raise ConfigError(f"scale = {self.scale!r}: reference or none was expected")
        if not 0 < self.gain_scale < math.inf:
            raise ConfigError(f"gain_scale = {self.gain_scale}: a number above 0 was expected")

    @property
    def objective(self) -> type:
        """Of lists."""
        return HopesAndFears

    def prepare(self, pool: Listed, metric: Metric, seed: int) -> HopesAndFears:
        """Nothing is random but the order of sentences, which the optimizer chooses."""
        return HopesAndFears(pool.candidates, metric, self)


@dataclass
class Averaged:
    """Weights on their way, and what their average is made of; a pass changes the arrays in place.

    background: the pseudo-corpus, empty where gains do not depend on one.
    """

    weights: Floats
    drift: Floats
    background: Floats
    steps: int = 0

    @property
    def average(self) -> Floats:
        """The mean of all weights that a step was made from, w_1 … w_t in Algorithm 1."""
        return self.weights - self.drift / max(self.steps, 1)


class HopesAndFears:
    """The objective of `HopeFear`: passes of updates, and the corpus score by which the best pass is chosen."""

    def __init__(self, candidates: CandidateSet, metric: Metric, settings: HopeFear) -> None:
        self.candidates, self.metric = candidates, metric
        self.columns = candidates.columns
        self._statistics = statistics_of(candidates, metric)
        choices = (candidates.native, HOPES[settings.hope], FEARS[settings.fear])
        if isinstance(metric, Bleu):
            distinct = _core.DistinctStatistics(candidates.offsets, self._statistics)
            by_length = settings.scale == "reference"
            self._native = _core.HopeFear(*choices, distinct, settings.decay, settings.start, by_length)
        else:
            gains = settings.gain_scale * sentence_gains(candidates, metric)
            self._native = _core.HopeFear(*choices, gains)
        self._sign = -1.0 if metric.higher_is_better else 1.0

    @property
    def sentences(self) -> int:
        """The number of sentences an order is made of."""
        return self.candidates.sentences

    def begin(self, start: Floats) -> Averaged:
        """The state before the first step: the pseudo-corpus is empty."""
        return Averaged(np.array(start, dtype=np.float64), np.zeros(len(start)), self._native.background())

    def violations(
        self, state: Averaged, order: NDArray[np.uint32], step_cap: float, lower: Floats, upper: Floats
    ) -> tuple[int, float]:
        """One pass of passive-aggressive updates over the sentences of `order`; changes `state`.

        Gives the number of updates and the sum of the losses met. lower and upper: bounds of the weights, or
        empty.
        """
        state.steps, updates, loss = self._native.run_pass(
            state.weights, state.drift, state.background, state.steps, order, step_cap, lower, upper
        )
        return updates, loss

    def value(self, w: Floats, *, threads: int = 1) -> float:
        """The corpus metric of the candidates that win, with the sign that makes smaller values better."""
        chosen = _core.best_candidates(self.candidates.native, w, threads)
        totals = self._statistics[chosen[chosen >= 0]].sum(axis=0, dtype=np.float64)
        return self._sign * float(self.metric.score(totals))
