"""Passive-aggressive passes (MIRA)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tunesmith import _core
from tunesmith.checks import above, at_least, finite
from tunesmith.tuning.objectives import Violated, VisitingUpdates
from tunesmith.tuning.optimizers.base import (
    VISITED,
    Floats,
    Optimizer,
    OptimizerState,
    Problem,
    checked_start,
    optimizers,
)
from tunesmith.tuning.regularizers.base import Penalty


@optimizers.register("passive_aggressive")
@dataclass(frozen=True)
class PassiveAggressive(Optimizer[Violated, Penalty]):
    """Algorithm 1 of Cherry and Foster (2012): passes in random order, the average of the best pass.

    A step is a pass. The state has the weights after it (`current`), data of their average (`drift`, `steps`), the
    pseudo-corpus (`background`), and the number of passes made (`pass`).

    passes: number of passes (J). step_cap: the longest step (C).
    """

    objective: ClassVar[type] = Violated

    passes: int = 60
    step_cap: float = 0.01

    def __post_init__(self) -> None:
        at_least(1, passes=self.passes)
        above(0, step_cap=self.step_cap)
        finite(step_cap=self.step_cap)

    def begin(self, problem: Problem[Violated, Penalty], start: Floats) -> OptimizerState:
        """Return a state with start weights inside the limits and an empty pseudo-corpus."""
        self.check(None, problem.penalty, problem.limits)
        weights = problem.limits.clip(checked_start(problem.objective, start))
        background = problem.objective.updates.background()
        arrays = {"current": weights, "drift": np.zeros(len(weights)), "background": background}
        return OptimizerState(
            weights, arrays=arrays, numbers={"pass": 0.0, "steps": 0.0}, by_feature=("current", "drift")
        )

    def step(self, problem: Problem[Violated, Penalty], state: OptimizerState) -> OptimizerState:
        """Make one pass. The order of sentences in pass j depends on (seed, j)."""
        objective, limits, number = problem.objective, problem.limits, int(state.numbers["pass"])
        bounds = (limits.lower, limits.upper) if limits.bounded else (np.empty(0), np.empty(0))
        current, drift, background = (state.arrays[name].copy() for name in ("current", "drift", "background"))
        before = state.arrays.get(VISITED, np.empty(0))
        order = _core.shuffled(objective.sentences, problem.seed, number)
        steps, updates, loss = objective.updates.run_pass(
            current, drift, background, int(state.numbers["steps"]), order, self.step_cap, *bounds
        )
        # The mean of all weights that a step was made from, w_1 … w_t in Algorithm 1.
        average = drift / max(steps, 1)
        np.subtract(current, average, out=average)
        if limits.bounded:
            average = limits.clip(average)
        value = objective.value(average, threads=problem.threads)
        if value < state.value:
            details = {"pass": number + 1.0, "updates": float(updates), "loss": loss / max(len(order), 1)}
            state = OptimizerState(average, value, details=details, by_feature=state.by_feature)
        arrays = {"current": current, "drift": drift, "background": background}
        if isinstance(objective.updates, VisitingUpdates):
            arrays[VISITED] = objective.updates.visited_since(before)
        numbers = {"pass": number + 1.0, "steps": float(steps)}
        return replace(state, finished=number + 1 >= self.passes, arrays=arrays, numbers=numbers)
