"""Learners that keep their weights and the drift from their average in NumPy."""

from __future__ import annotations

import numpy as np

from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.growth import grown
from tunesmith.tuning.optimizers.base import Floats, OptimizerState
from tunesmith.tuning.optimizers.online import Change, OnlineLearner, Touched


class AveragedLearner(OnlineLearner):
    """Weights, and the data of their average: the mean is weights - drift / steps.

    A step by v at step t of 1, 2, … adds (t - 1) · v to the drift, or t · v where the average is of the weights
    before each step; so a step costs as much as it changes.
    """

    def __init__(self, limits: Limits, state: OptimizerState) -> None:
        self._limits = limits
        self._weights = state.weights.copy()
        self._drift = grown(state.arrays.get("drift", np.empty(0)), len(self._weights)).copy()
        self._steps = int(state.numbers.get("steps", 0))
        self._touched = Touched()

    def grow(self, columns: int, limits: Limits) -> None:
        self._weights, self._drift = grown(self._weights, columns), grown(self._drift, columns)
        self._limits = limits

    def changed(self) -> Change:
        ids = self._touched.take()
        return ids, self._weights[ids]

    def weights(self) -> Floats:
        return self._weights.copy()

    def average(self) -> tuple[Floats, int]:
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
        arrays, numbers = {"drift": self._drift.copy()}, {"steps": float(self._steps)}
        return OptimizerState(self._weights.copy(), arrays=arrays, numbers=numbers, by_feature=("drift",))
