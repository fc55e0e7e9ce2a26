"""Passive-aggressive passes (MIRA)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.losses.hope_fear import Averaged
from tunesmith.tuning.optimizers.base import (
    Fitted,
    Floats,
    limits_for,
    optimizers,
    refuse_penalties,
)
from tunesmith.tuning.optimizers.start_weights import checked_start
from tunesmith.tuning.regularizers.base import Regularizer


@optimizers.register("passive_aggressive")
@dataclass(frozen=True)
class PassiveAggressive:
    """Algorithm 1 of Cherry and Foster (2012): passes in random order, the average of the best pass.

    passes: how many (J).   step_cap: the longest step (C).
    """

    needs: ClassVar[frozenset[str]] = frozenset({"violations"})
    regularizer_needs: ClassVar[frozenset[str] | None] = None

    passes: int = 60
    step_cap: float = 0.01

    def __post_init__(self) -> None:
        if self.passes < 1:
            raise ConfigError(f"passes = {self.passes}: at least 1 was expected")
        if not 0 < self.step_cap < math.inf:
            raise ConfigError(f"step_cap = {self.step_cap}: a number above 0 was expected")

    def minimize(
        self,
        objective: Any,
        regularizer: Regularizer | None,
        start: Floats,
        *,
        seed: int,
        constraints: Constraints | None = None,
        threads: int = 1,
    ) -> Fitted:
        """The order of sentences in pass j depends on (seed, j)."""
        refuse_penalties(self, constraints)
        weights = checked_start(objective, start)
        limits = limits_for(objective, constraints, weights)
        nothing = np.empty(0)
        lower, upper = (limits.lower, limits.upper) if limits.bounded else (nothing, nothing)
        state = Averaged.begin(limits.clip(weights))
        objective.begin()
        best = Fitted(state.weights.copy(), math.inf)
        for number in range(self.passes):
            order = _core.shuffled(objective.sentences, seed, number)
            updates, loss = objective.violations(state, order, self.step_cap, lower, upper)
            average = limits.clip(state.average)
            value = objective.value(average, threads=threads)
            if value < best.value:
                details = {"pass": number + 1.0, "updates": float(updates), "loss": loss / max(len(order), 1)}
                best = Fitted(average, value, details)
        return best
