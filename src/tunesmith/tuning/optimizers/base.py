"""What an optimizer is: a state that is made once, and a step from one state to the next.

A state is arrays and numbers, so that it can be saved between any two steps. Batch optimizers are the case whose
step runs to the end.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.execution import Executor
from tunesmith.registry import Registry
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.growth import grown
from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.objectives import Objective
from tunesmith.tuning.projection import Projection
from tunesmith.tuning.regularizers.base import Penalty

Floats = NDArray[np.float64]
ObjectiveT = TypeVar("ObjectiveT", bound=Objective)
PenaltyT = TypeVar("PenaltyT", bound=Penalty)
Progress = Callable[[int, int, str], None]
VISITED = "visited"
"""Name of the array of a state with what a `Visiting` objective remembers."""


def quiet(done: int, total: int, unit: str) -> None:
    """Show no progress."""


@dataclass(frozen=True, eq=False)
class Problem(Generic[ObjectiveT, PenaltyT]):
    """What is minimised: objective + penalty, within limits.

    progress: called with what is done, the total, and the unit.
    executor: adds over parts of the data, for optimizers that know how to ask for sums; None: this process does.
    """

    objective: ObjectiveT
    penalty: PenaltyT | None
    limits: Limits
    seed: int = 1
    threads: int = 1
    progress: Progress = quiet
    executor: Executor | None = None


@dataclass(frozen=True, eq=False)
class OptimizerState:
    """Where an optimizer stands: the best weights so far, and what its next step needs.

    value: of what is minimised, at `weights`.   details: what a reader may want to know.
    arrays, numbers: what the next step needs besides, by name.
    by_feature: names of the arrays that have a value for each weight.
    groups: features of equal weight, of a finished state whose optimizer knows them.
    """

    weights: Floats
    value: float = np.inf
    finished: bool = False
    details: Mapping[str, float] = field(default_factory=dict)
    arrays: Mapping[str, Floats] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    by_feature: tuple[str, ...] = ()
    groups: Projection | None = None

    def grown(self, columns: int) -> OptimizerState:
        """Return the state for this number of features; new ones have zeros."""
        arrays = {name: grown(self.arrays[name], columns) for name in self.by_feature}
        return replace(self, weights=grown(self.weights, columns), arrays={**self.arrays, **arrays})


class Optimizer(ABC, Generic[ObjectiveT, PenaltyT]):
    """Settings of a way to minimise, a frozen dataclass.

    objective: what it asks of an objective, a protocol of `losses.base`.
    penalties: of a regularizer it asks for one of these protocols of `regularizers.base`; () for none.
    online: it goes through the data piece by piece.
    """

    objective: ClassVar[type]
    penalties: ClassVar[tuple[type, ...]] = ()
    online: ClassVar[bool] = False

    @abstractmethod
    def begin(self, problem: Problem[ObjectiveT, PenaltyT], start: Floats) -> OptimizerState:
        """Return the state before the first step."""

    @abstractmethod
    def step(self, problem: Problem[ObjectiveT, PenaltyT], state: OptimizerState) -> OptimizerState:
        """Return the next state. The same bytes for every number of threads."""

    def check(self, loss: Loss[Any, Any] | None, penalty: Penalty | None, limits: Limits | None) -> None:
        """Raise ConfigError for parts that its settings do not go with.

        loss is None where it is not known, limits are None before the features are known.
        """
        if limits is not None and not self.penalties and np.any(limits.factors != 1):
            raise ConfigError(
                f"{type(self).__name__} takes no regularizer, so features cannot have penalties of their own. "
                "Use pro with a regularizer, or fix or bound them."
            )

    def minimize(
        self,
        objective: ObjectiveT,
        penalty: PenaltyT | None,
        start: Floats,
        *,
        seed: int = 1,
        limits: Limits | None = None,
        threads: int = 1,
        progress: Progress = quiet,
        executor: Executor | None = None,
    ) -> OptimizerState:
        """Run all steps from `start`."""
        free = Limits.none(len(start)) if limits is None else limits
        return self.run(Problem(objective, penalty, free, seed, threads, progress, executor), start)

    def run(self, problem: Problem[ObjectiveT, PenaltyT], start: Floats) -> OptimizerState:
        """Run all steps of a problem."""
        state = self.begin(problem, start)
        while not state.finished:
            state = self.step(problem, state)
        return state


class BatchOptimizer(Optimizer[ObjectiveT, PenaltyT]):
    """An optimizer of one step."""

    def begin(self, problem: Problem[ObjectiveT, PenaltyT], start: Floats) -> OptimizerState:
        """Check the start weights and the limits."""
        weights = checked_start(problem.objective, start)
        self.check(None, problem.penalty, problem.limits)
        return OptimizerState(weights)

    def step(self, problem: Problem[ObjectiveT, PenaltyT], state: OptimizerState) -> OptimizerState:
        """Solve the problem."""
        return replace(self.solve(problem, state.weights), finished=True)

    @abstractmethod
    def solve(self, problem: Problem[ObjectiveT, PenaltyT], start: Floats) -> OptimizerState:
        """Return weights of small objective + penalty, from `start`."""


optimizers: Registry[Optimizer[Any, Any]] = Registry("optimizer", "tunesmith.optimizers")


def checked_start(learnt_on: Objective, start: Floats) -> Floats:
    """Return a copy of the start weights; ConfigError unless they are finite numbers, one for each feature."""
    weights = np.array(start, dtype=np.float64)
    if weights.shape != (learnt_on.columns,):
        raise ConfigError(f"start weights of shape {weights.shape} for {learnt_on.columns} features")
    if not np.isfinite(weights).all():
        raise ConfigError("start weights must be finite numbers")
    return weights
