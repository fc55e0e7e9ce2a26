"""Forward-backward steps on the pairs of each batch, while sentences are decoded."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.checks import above, at_least, finite, one_of
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.growth import grown
from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.losses.differences import Differences, Ranked
from tunesmith.tuning.optimizers.base import Floats, OptimizerState, optimizers
from tunesmith.tuning.optimizers.fobos import blame_settings, check_limits, native_learner, penalised_columns
from tunesmith.tuning.optimizers.online import Batch, Change, Learnt, OnlineLearner, OnlineOptimizer, Touched
from tunesmith.tuning.regularizers.base import Cumulative, Ordered, Penalty


@optimizers.register("online_fobos")
@dataclass(frozen=True)
class OnlineFobos(OnlineOptimizer[Ranked, Ordered | Cumulative]):
    """The steps of `Fobos`, one for each pair of a batch, with OSCAR, L1 or a cumulative L1 penalty.

    A batch begins with the weights after the previous one; groups are weights of equal magnitude, and need not be
    saved. Weights of 0 outside the pairs of the batch cost nothing. A batch without pairs makes no step.

    rate, delay: steps of rate / (delay + t), where t counts the pairs of the whole run.
    dense: features that are not penalised (a penalty of 0) `learn` with the others, or stay `fixed`.
    """

    objective: ClassVar[type] = Ranked
    penalties: ClassVar[tuple[type, ...]] = (Ordered, Cumulative)

    rate: float = 1.0
    delay: float = 1000.0
    dense: Literal["learn", "fixed"] = "learn"

    def __post_init__(self) -> None:
        above(0, rate=self.rate)
        at_least(0, delay=self.delay)
        finite(rate=self.rate, delay=self.delay)
        one_of(("learn", "fixed"), dense=self.dense)

    def check(self, loss: Loss[Any, Any] | None, penalty: Penalty | None, limits: Limits | None) -> None:
        """Refuse bounds, and penalty factors other than 0 and 1."""
        if limits is not None:
            check_limits(limits)

    def open(
        self, penalty: Ordered | Cumulative | None, limits: Limits, state: OptimizerState
    ) -> OnlineFobosLearner:
        check_limits(limits)
        return OnlineFobosLearner(self, penalty, limits, state)


class OnlineFobosLearner(OnlineLearner):
    """Weights, their sums over the steps, and their share of a cumulative penalty (`received`, `total`)."""

    def __init__(
        self, settings: OnlineFobos, penalty: Ordered | Cumulative | None, limits: Limits, state: OptimizerState
    ) -> None:
        self._settings, self._penalty, self._limits = settings, penalty, limits
        none = np.zeros(len(state.weights))
        self._weights = state.weights.copy()
        self._sums, self._received = (state.arrays.get(name, none).copy() for name in ("sums", "received"))
        numbers = state.numbers
        self._steps, self._averaged = (int(numbers.get(name, 0)) for name in ("steps", "averaged"))
        self._total = numbers.get("total", 0.0)
        self._touched = Touched()

    def grow(self, columns: int, limits: Limits) -> None:
        arrays = (self._weights, self._sums, self._received)
        self._weights, self._sums, self._received = (grown(each, columns) for each in arrays)
        self._limits = limits

    def learn(self, batch: Batch) -> Learnt:
        """Make a step for each pair, in an order that depends on the number of earlier steps."""
        if batch.objective is None:
            return Learnt()
        differences = self._differences(batch.objective)
        weights, dense = self._weights, differences.unpenalised
        columns = penalised_columns(differences, weights)
        loss = float(np.maximum(0.0, 1.0 - differences.margins(weights)).sum())
        with blame_settings():
            learner = native_learner(
                differences, self._penalty, weights[columns], weights[dense],
                rate=self._settings.rate, delay=self._settings.delay + self._steps,
                learn_dense=self._settings.dense == "learn",
            )  # fmt: skip
            if isinstance(learner, _core.CumulativeL1):
                learner.resume(self._total, self._received[columns])
            learner.begin_average()
            learner.run(differences.native, _core.shuffled(len(differences), self._steps, 0))
        self._take(columns, learner.penalised(), learner.average_penalised(), len(differences))
        self._take(dense, learner.dense(), learner.average_dense(), len(differences))
        if isinstance(learner, _core.CumulativeL1):
            self._total, self._received[columns] = learner.received()
        self._steps += len(differences)
        self._averaged += len(differences)
        return Learnt(loss, len(differences))

    def _differences(self, objective: Ranked) -> Differences:
        """Return the pairs over all known features."""
        found = objective.pairs(np.flatnonzero(self._limits.factors[: objective.columns]))
        unpenalised = np.flatnonzero(self._limits.factors == 0)
        dense = found.dense
        if len(unpenalised) > dense.shape[1]:  # features added since the lists were made
            dense = np.hstack([dense, np.zeros((len(found), len(unpenalised) - dense.shape[1]))])
        known = len(self._weights)
        return replace(
            found, dense=dense, unpenalised=unpenalised, columns=known, dimension=known - len(unpenalised)
        )

    def _take(self, columns: NDArray[np.int64], values: Floats, average: Floats, steps: int) -> None:
        self._touched.add(columns[values != self._weights[columns]])
        self._weights[columns] = values
        self._sums[columns] += steps * average

    def changed(self) -> Change:
        ids = self._touched.take()
        return ids, self._weights[ids]

    def weights(self) -> Floats:
        return self._weights.copy()

    def average(self) -> tuple[Floats, int]:
        """Return the mean of the weights after each pair."""
        return (self._sums / self._averaged if self._averaged else self._weights.copy()), self._averaged

    def set_weights(self, weights: Floats) -> None:
        self._weights = weights.copy()

    def begin_average(self) -> None:
        self._averaged = 0
        self._sums[:] = 0.0

    def state(self) -> OptimizerState:
        arrays = {"sums": self._sums.copy(), "received": self._received.copy()}
        numbers = {"steps": float(self._steps), "averaged": float(self._averaged), "total": self._total}
        return OptimizerState(self._weights.copy(), arrays=arrays, numbers=numbers, by_feature=tuple(arrays))
