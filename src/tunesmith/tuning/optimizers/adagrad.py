"""AdaGrad with proximal steps (Green et al. 2014)."""

from __future__ import annotations

from collections.abc import Sized
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunesmith import _core
from tunesmith.checks import above, at_least, finite
from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.objectives import ByScores, OverSentences, Smooth
from tunesmith.tuning.optimizers.base import Floats, OptimizerState, optimizers
from tunesmith.tuning.optimizers.online import Batch, Change, Learnt, OnlineLearner, OnlineOptimizer
from tunesmith.tuning.regularizers.base import Shrinkage, Shrinking

_ARRAYS = ("squares", "sums", "since", "support", "sentences")
_NONE = np.empty(0)


@optimizers.register("adagrad")
@dataclass(frozen=True)
class AdaGrad(OnlineOptimizer[Smooth, Shrinking]):
    """A step for each batch, shorter for features whose gradients were large (Duchi et al. 2011).

    The step of weight j is η_j = rate / (√G_j + epsilon), G_j the sum of its squared gradients; the gradient of a
    batch is the sum over its sentences or pairs, as in Green et al. (2014). The step is followed by the proximal
    point of η_j times the penalty (FOBOS, Duchi and Singer 2009): with `L1` small weights become exactly 0.
    Weights that a batch does not touch pay this penalty too, lazily when they are next read.

    rate: η0.   epsilon: keeps first steps finite.
    min_sentences: a feature is updated once this number of sentences of one epoch had a candidate with it, the
        frequency cut-off of Green et al.'s Table 6b; 1 for none.
    """

    objective: ClassVar[type] = Smooth
    penalties: ClassVar[tuple[type, ...]] = (Shrinking,)

    rate: float = 0.02
    epsilon: float = 1e-3
    min_sentences: int = 1

    def __post_init__(self) -> None:
        above(0, rate=self.rate, epsilon=self.epsilon)
        finite(rate=self.rate, epsilon=self.epsilon)
        at_least(1, min_sentences=self.min_sentences)

    def open(self, penalty: Shrinking | None, limits: Limits, state: OptimizerState) -> AdaGradLearner:
        return AdaGradLearner(self, Shrinkage(0.0, 0.0) if penalty is None else penalty.shrinkage, limits, state)


class AdaGradLearner(OnlineLearner):
    """Weights, accumulated squares, and sums for the average, in the core."""

    def __init__(self, settings: AdaGrad, shrinkage: Shrinkage, limits: Limits, state: OptimizerState) -> None:
        zeros, numbers = np.zeros(len(state.weights)), state.numbers
        squares, sums, since = (state.arrays.get(name, zeros) for name in _ARRAYS[:3])
        support, sentences = (state.arrays.get(name, _NONE) for name in _ARRAYS[3:])
        self._columns = len(state.weights)
        self._counts_sentences = settings.min_sentences > 1
        self._native = _core.AdaGrad(
            settings.rate, settings.epsilon, shrinkage.l1, shrinkage.l2, settings.min_sentences,
            state.weights, squares, sums, since, support, sentences, *_bounds(limits),
            int(numbers.get("steps", 0)), int(numbers.get("averaged", 0)),
        )  # fmt: skip

    def grow(self, columns: int, limits: Limits) -> None:
        if columns > self._columns:
            self._native.resize(columns)
            self._columns = columns
            bounds = _bounds(limits)
            if any(map(len, bounds)):
                self._native.set_limits(*bounds)

    def learn(self, batch: Batch) -> Learnt:
        """Make one step; only the penalty for a batch with nothing to learn."""
        objective = batch.objective
        if objective is None:
            self._native.penalty_step()
            return Learnt()
        if isinstance(objective, ByScores):
            lists = objective.candidates.native
            self._native.count(lists)
            value, slopes = objective.value_and_slopes(self._native.scores(lists))
            self._native.step(lists, slopes)
            return Learnt(value, 1)
        if self._counts_sentences:
            raise ConfigError(
                "min_sentences counts sentences whose n-best lists have a feature; these are graphs. Leave it "
                "out, or tune on lists"
            )
        value, gradient = objective.value_and_grad(self._native.weights()[: objective.columns])
        terms = _terms(batch)
        whole = np.zeros(self._columns)
        whole[: len(gradient)] = gradient * terms  # objectives are means
        self._native.dense_step(whole)
        return Learnt(value * terms, 1)

    def changed(self) -> Change:
        return self._native.changed()

    def weights(self) -> Floats:
        return self._native.weights()

    def average(self) -> tuple[Floats, int]:
        return self._native.average(), int(self._native.state()[-1])

    def set_weights(self, weights: Floats) -> None:
        self._native.set_weights(weights)

    def begin_average(self) -> None:
        self._native.begin_average()

    def begin_epoch(self) -> None:
        self._native.begin_epoch()

    def state(self) -> OptimizerState:
        weights, *found, steps, averaged = self._native.state()
        arrays = {name: array for name, array in zip(_ARRAYS, found, strict=True) if len(array) == len(weights)}
        numbers = {"steps": float(steps), "averaged": float(averaged)}
        return OptimizerState(weights, arrays=arrays, numbers=numbers, by_feature=tuple(arrays))


def _bounds(limits: Limits) -> tuple[Floats, Floats, Floats]:
    """Return lower and upper bounds and penalty factors, empty without limits."""
    lower, upper = (limits.lower, limits.upper) if limits.bounded else (_NONE, _NONE)
    return lower, upper, limits.factors if np.any(limits.factors != 1) else _NONE


def _terms(batch: Batch) -> int:
    """Return the number of terms that an objective is the mean of, by default the sentences of the batch."""
    if isinstance(batch.objective, Sized):
        return len(batch.objective)
    return batch.objective.sentences if isinstance(batch.objective, OverSentences) else len(batch.sentences)
