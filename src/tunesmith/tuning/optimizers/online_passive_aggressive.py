"""Passive-aggressive updates sentence by sentence during decoding (online MIRA)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tunesmith.checks import above, finite
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses.hope_fear import Passes
from tunesmith.tuning.objectives import Violated
from tunesmith.tuning.optimizers.averaged import AveragedLearner
from tunesmith.tuning.optimizers.base import Floats, OptimizerState, optimizers
from tunesmith.tuning.optimizers.online import Batch, Learnt, OnlineOptimizer
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


class OnlinePassiveAggressiveLearner(AveragedLearner):
    """Weights, their average (of all weights that a step was made from, w_1 … w_t), and the pseudo-corpus."""

    def __init__(self, step_cap: float, limits: Limits, state: OptimizerState) -> None:
        super().__init__(limits, state)
        self._step_cap = step_cap
        self._background: Floats | None = state.arrays.get("background")

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

    def state(self) -> OptimizerState:
        found = super().state()
        if self._background is None:
            return found
        return replace(found, arrays={**found.arrays, "background": self._background})
