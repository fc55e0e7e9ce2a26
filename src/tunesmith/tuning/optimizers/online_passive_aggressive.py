"""Passive-aggressive updates sentence by sentence during decoding (online MIRA)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunesmith.checks import above, finite
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.growth import grown
from tunesmith.tuning.losses.hope_fear import Passes
from tunesmith.tuning.objectives import Violated
from tunesmith.tuning.optimizers.base import Floats, OptimizerState, optimizers
from tunesmith.tuning.optimizers.online import Batch, Change, Learnt, OnlineLearner, OnlineOptimizer, Touched
from tunesmith.tuning.regularizers.base import Penalty

_NONE = np.empty(0)


@optimizers.register("online_passive_aggressive")
@dataclass(frozen=True)
class OnlinePassiveAggressive(OnlineOptimizer[Violated, Penalty]):
    """The update of Cherry and Foster (2012), Eq. 3, for each sentence of a batch in turn (their `mira`).

    Like one pass of `PassiveAggressive`, on translations that change with the weights. The pseudo-corpus is
    carried over from batch to batch and from epoch to epoch.

    step_cap: the longest step (C).
    """

    objective: ClassVar[type] = Violated

    step_cap: float = 0.01

    def __post_init__(self) -> None:
        above(0, step_cap=self.step_cap)
        finite(step_cap=self.step_cap)

    def open(
        self, penalty: Penalty | None, limits: Limits, state: OptimizerState
    ) -> OnlinePassiveAggressiveLearner:
        return OnlinePassiveAggressiveLearner(self.step_cap, limits, state)


class OnlinePassiveAggressiveLearner(OnlineLearner):
    """Weights, data of their average (`drift`, `steps`), and the pseudo-corpus (`background`)."""

    def __init__(self, step_cap: float, limits: Limits, state: OptimizerState) -> None:
        self._step_cap, self._limits = step_cap, limits
        self._weights = state.weights.copy()
        self._drift = state.arrays["drift"].copy() if "drift" in state.arrays else np.zeros(len(self._weights))
        self._background: Floats | None = state.arrays.get("background")
        self._steps = int(state.numbers.get("steps", 0))
        self._touched = Touched()

    def grow(self, columns: int, limits: Limits) -> None:
        self._weights, self._drift = grown(self._weights, columns), grown(self._drift, columns)
        self._limits = limits

    def learn(self, batch: Batch) -> Learnt:
        objective: Passes | None = batch.objective
        if objective is None:
            self._steps += len(batch.sentences)  # of the average, as sentences without translations are in a pass
            return Learnt()
        if self._background is None:
            self._background = objective.updates.background()
        background = self._background.copy()
        columns = objective.columns
        weights, drift = self._weights[:columns], self._drift[:columns]
        limits = self._limits
        bounds = (limits.lower[:columns], limits.upper[:columns]) if limits.bounded else (_NONE, _NONE)
        self._steps, updates, loss, touched = objective.updates.run_online(
            weights, drift, background, self._steps, batch.sentences, self._step_cap, *bounds
        )
        self._background = background
        self._touched.add(touched)
        return Learnt(loss, updates)

    def changed(self) -> Change:
        ids = self._touched.take()
        return ids, self._weights[ids]

    def weights(self) -> Floats:
        return self._weights.copy()

    def average(self) -> tuple[Floats, int]:
        """Return the mean of all weights that a step was made from, w_1 … w_t in Algorithm 1."""
        average = self._weights - self._drift / max(self._steps, 1)
        return (self._limits.clip(average) if self._limits.bounded else average), self._steps

    def set_weights(self, weights: Floats) -> None:
        """Set the weights, as a step that the average includes."""
        self._drift += self._steps * (weights - self._weights)
        self._weights = weights.copy()

    def begin_average(self) -> None:
        self._steps = 0
        self._drift[:] = 0.0

    def state(self) -> OptimizerState:
        arrays = {"drift": self._drift.copy()}
        if self._background is not None:
            arrays["background"] = self._background
        numbers = {"steps": float(self._steps)}
        return OptimizerState(self._weights.copy(), arrays=arrays, numbers=numbers, by_feature=("drift",))
