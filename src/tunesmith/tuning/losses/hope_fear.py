"""Hope and fear (MIRA)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.checks import above, at_least, finite, one_of, within
from tunesmith.metrics.base import Metric
from tunesmith.tuning.losses.base import Floats, Loss, losses
from tunesmith.tuning.pools.base import HopesAndFears, Updates

HOPES = {"model+gain": _core.Hope.model_and_gain, "gain": _core.Hope.gain}
FEARS = {"model-gain": _core.Fear.model_without_gain, "model": _core.Fear.model}


@losses.register("hope_fear")
@dataclass(frozen=True)
class HopeFear(Loss[HopesAndFears, "Passes"]):
    """Structured hinge loss between a hope and a fear candidate (Cherry and Foster 2012, Eq. 2 and Algorithm 1).

    hope: `model+gain` takes the highest score + gain; `gain` the highest gain, equal ones by score.
    fear: `model-gain` takes the highest score - gain; `model` the highest score.
    decay: what is left of the pseudo-corpus after each sentence (γ).
    start: every count of the empty pseudo-corpus, a small positive number.
    scale: BLEU inside the pseudo-corpus is multiplied by the `reference` length of both (Chiang et al. 2008; the
        step cap C = 0.01 has its meaning only with it), or taken as it is (`none`).
    gain_scale: for metrics that are not like BLEU (`Metric.bleu_smoothing`): their gain is the score of the
        sentence times this number (of words, say).
    """

    pool: ClassVar[type] = HopesAndFears

    hope: Literal["model+gain", "gain"] = "model+gain"
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

    @property
    def objective(self) -> type:
        """Passes of updates."""
        return Passes

    def prepare(self, pool: HopesAndFears, metric: Metric, seed: int) -> Passes:
        """Nothing is random but the order of sentences, which the optimizer chooses."""
        return Passes(pool, metric, pool.updates(metric, self))


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


class Passes:
    """The objective of `HopeFear`: passes of updates, and the corpus score by which the best pass is chosen."""

    def __init__(self, pool: HopesAndFears, metric: Metric, updates: Updates) -> None:
        self.pool, self.metric, self.columns = pool, metric, pool.columns
        self._updates = updates
        self._sign = -1.0 if metric.higher_is_better else 1.0

    @property
    def sentences(self) -> int:
        """The number of sentences an order is made of."""
        return self.pool.sentences

    def begin(self, start: Floats) -> Averaged:
        """The state before the first step: the pseudo-corpus is empty."""
        return Averaged(np.array(start, dtype=np.float64), np.zeros(len(start)), self._updates.background())

    def violations(
        self, state: Averaged, order: NDArray[np.uint32], step_cap: float, lower: Floats, upper: Floats
    ) -> tuple[int, float]:
        """One pass of passive-aggressive updates over the sentences of `order`; changes `state`.

        Gives the number of updates and the sum of the losses met. lower and upper: bounds of the weights, or
        empty.
        """
        state.steps, updates, loss = self._updates.run_pass(
            state.weights, state.drift, state.background, state.steps, order, step_cap, lower, upper
        )
        return updates, loss

    def value(self, w: Floats, *, threads: int = 1) -> float:
        """The corpus metric of the translations that win, with the sign that makes smaller values better."""
        return self._sign * self.pool.best(w, threads=threads).score(self.metric)
