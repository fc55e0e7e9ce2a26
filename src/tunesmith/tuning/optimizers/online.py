"""Optimizers that update weights batch by batch during decoding.

Each batch changes a few of millions of weights. So a learner changes them in place, reports changed weights, and
makes a state only for saving.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.objectives import Objective, OverSentences
from tunesmith.tuning.optimizers.base import Floats, Optimizer, OptimizerState, Problem, checked_start
from tunesmith.tuning.regularizers.base import Penalty

ObjectiveT = TypeVar("ObjectiveT", bound=Objective)
PenaltyT = TypeVar("PenaltyT", bound=Penalty)
Change = tuple[NDArray[np.uint32], Floats]
"""Numbers of weights, and their new values."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Sentences with their translations under the current weights.

    objective: objective of the loss on these translations; None if there is nothing to learn. sentences: their
    numbers, in the order of the updates. columns: the features known now.
    """

    objective: Any | None
    sentences: NDArray[np.uint32]
    columns: int


@dataclass(frozen=True)
class Learnt:
    """Result of a batch.   loss: summed over its terms, before the update.   updates: number of updates."""

    loss: float = 0.0
    updates: int = 0
    details: Mapping[str, float] = field(default_factory=dict)


class Touched:
    """Numbers of weights that were changed since they were last asked for, each as often as it was.

    Learners on fixed lists are never asked: numbers are made distinct where they would take much memory.
    """

    def __init__(self, most: int = 1 << 20) -> None:
        self._some: list[NDArray[np.uint32]] = []
        self._count, self._most = 0, most

    def add(self, ids: NDArray[Any]) -> None:
        self._some.append(ids.astype(np.uint32, copy=False))
        self._count += len(ids)
        if self._count > self._most:
            distinct = self.take()
            self._some, self._count, self._most = [distinct], len(distinct), max(self._most, 2 * len(distinct))

    def take(self) -> NDArray[np.uint32]:
        """Return the numbers, ascending and each once, and forget them."""
        found: NDArray[np.uint32] = np.unique(np.concatenate([np.empty(0, np.uint32), *self._some]))
        self._some, self._count = [], 0
        return found


class OnlineLearner(ABC):
    """Weights that change in place."""

    @abstractmethod
    def grow(self, columns: int, limits: Limits) -> None:
        """Extend the weights to `columns`, new ones being 0, and set the limits."""

    @abstractmethod
    def learn(self, batch: Batch) -> Learnt:
        """Update the weights; their bytes do not depend on the number of threads."""

    @abstractmethod
    def changed(self) -> Change:
        """Return weights that changed since the last call; in the first call all non-zero or changed weights."""

    @abstractmethod
    def weights(self) -> Floats:
        """Return a copy of all weights."""

    @abstractmethod
    def average(self) -> tuple[Floats, int]:
        """Return the mean of the weights over the updates since `begin_average`, and their number."""

    @abstractmethod
    def set_weights(self, weights: Floats) -> None:
        """Replace the weights, for example by the mean of several learners."""

    @abstractmethod
    def begin_average(self) -> None:
        """Restart the average."""

    def begin_epoch(self) -> None:  # noqa: B027 most need nothing
        """Begin a new pass over all sentences."""

    @abstractmethod
    def state(self) -> OptimizerState:
        """Return everything that a learner needs to resume after the last batch."""


class OnlineOptimizer(Optimizer[ObjectiveT, PenaltyT]):
    """Settings of a learner.   first_pass: `first` needs the translations under the start weights."""

    online: ClassVar[bool] = True
    first_pass: ClassVar[bool] = False

    @abstractmethod
    def open(self, penalty: PenaltyT | None, limits: Limits, state: OptimizerState) -> OnlineLearner:
        """Return the learner of a state, which is not changed."""

    def begin(self, problem: Problem[ObjectiveT, PenaltyT], start: Floats) -> OptimizerState:
        """Return the state of start weights inside the limits."""
        self.check(None, problem.penalty, problem.limits)
        return self.first(problem.limits.clip(checked_start(problem.objective, start)))

    def first(self, weights: Floats, chosen: Floats | None = None) -> OptimizerState:
        """Return the state before the first batch.

        chosen: statistics of the translations under the start weights, a row per sentence.
        """
        return OptimizerState(weights)

    def step(self, problem: Problem[ObjectiveT, PenaltyT], state: OptimizerState) -> OptimizerState:
        """Make one update, with the objective as a batch."""
        learner, objective = self.open(problem.penalty, problem.limits, state), problem.objective
        sentences = objective.sentences if isinstance(objective, OverSentences) else 1
        learnt = learner.learn(Batch(objective, np.arange(sentences, dtype=np.uint32), objective.columns))
        return replace(learner.state(), value=learnt.loss, details=learnt.details, finished=True)
