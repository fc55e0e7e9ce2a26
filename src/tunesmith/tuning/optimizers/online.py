"""Optimizers that update weights batch by batch, while the data comes.

The weights of millions of features change a little with each batch. So a learner changes them in place, says which
ones it changed, and makes a state only when one is saved.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.objectives import Objective
from tunesmith.tuning.optimizers.base import Floats, Optimizer, OptimizerState, Problem, checked_start
from tunesmith.tuning.regularizers.base import Penalty

ObjectiveT = TypeVar("ObjectiveT", bound=Objective)
PenaltyT = TypeVar("PenaltyT", bound=Penalty)
Change = tuple[NDArray[np.uint32], Floats]
"""Numbers of weights, and their new values."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Some sentences of the data, with their translations under the weights of the moment.

    objective: that of the loss on these translations; None where they offer nothing to learn.
    sentences: their numbers, in the order of the updates.
    columns: the features known now.
    """

    objective: Any | None
    sentences: NDArray[np.uint32]
    columns: int


@dataclass(frozen=True)
class Learnt:
    """What came of a batch.   loss: summed over its terms, before the update.   updates: how many were made."""

    loss: float = 0.0
    updates: int = 0
    details: Mapping[str, float] = field(default_factory=dict)


class OnlineLearner(ABC):
    """Weights that change in place."""

    @abstractmethod
    def grow(self, columns: int, limits: Limits) -> None:
        """Take so many weights from now on, new ones being 0, and these limits."""

    @abstractmethod
    def learn(self, batch: Batch) -> Learnt:
        """Update the weights; the same bytes for every number of threads."""

    @abstractmethod
    def changed(self) -> Change:
        """Weights that changed since the last call; of the first call all that are not 0, or changed."""

    @abstractmethod
    def weights(self) -> Floats:
        """A copy of all weights."""

    @abstractmethod
    def average(self) -> tuple[Floats, int]:
        """The mean of the weights over the updates since `begin_average`, and how many these were."""

    @abstractmethod
    def set_weights(self, weights: Floats) -> None:
        """Put these in place of the weights, such as the mean of several learners."""

    @abstractmethod
    def begin_average(self) -> None:
        """Forget the updates so far in the average."""

    def begin_epoch(self) -> None:  # noqa: B027 most need nothing
        """Note that all sentences come once more."""

    @abstractmethod
    def state(self) -> OptimizerState:
        """All that a learner needs to resume after the last batch."""


class OnlineOptimizer(Optimizer[ObjectiveT, PenaltyT]):
    """Settings of a learner.   first_pass: `first` is to know what the start weights choose of each sentence."""

    online: ClassVar[bool] = True
    first_pass: ClassVar[bool] = False

    @abstractmethod
    def open(self, penalty: PenaltyT | None, limits: Limits, state: OptimizerState) -> OnlineLearner:
        """The learner of a state, which stays as it is."""

    def begin(self, problem: Problem[ObjectiveT, PenaltyT], start: Floats) -> OptimizerState:
        """The state of start weights inside the limits."""
        self.check(None, problem.penalty, problem.limits)
        return self.first(problem.limits.clip(checked_start(problem.objective, start)))

    def first(self, weights: Floats, chosen: Floats | None = None) -> OptimizerState:
        """The state before the first batch.   chosen: statistics of what the weights choose, a row a sentence."""
        return OptimizerState(weights)

    def step(self, problem: Problem[ObjectiveT, PenaltyT], state: OptimizerState) -> OptimizerState:
        """One update, with the objective as a batch."""
        learner = self.open(problem.penalty, problem.limits, state)
        sentences: int = getattr(problem.objective, "sentences", 0)
        learnt = learner.learn(
            Batch(problem.objective, np.arange(sentences, dtype=np.uint32), problem.objective.columns)
        )
        return replace(learner.state(), value=learnt.loss, details=learnt.details, finished=True)
