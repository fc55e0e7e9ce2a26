"""Parts of a tuner for tests of the loop: what they do is simple, seeded, and easy to see through."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.objectives import Objective
from tunesmith.tuning.optimizers.base import BatchOptimizer, OptimizerState
from tunesmith.tuning.pools.base import Listed


@dataclass(frozen=True)
class Direction:
    """An objective that only has a direction."""

    direction: np.ndarray

    @property
    def columns(self):
        return len(self.direction)


@dataclass(frozen=True)
class MeanDifference(Loss):
    """The direction from the mean candidate of each sentence to its best one."""

    pool: ClassVar = Listed

    @property
    def objective(self):
        return Direction

    def prepare(self, pool, metric, seed):
        candidates = pool.candidates
        rows = candidates.rows().toarray()
        gains = metric.sentence_scores(candidates.statistics.astype(float))
        direction = np.zeros(candidates.columns)
        for begin, end in zip(candidates.offsets[:-1], candidates.offsets[1:], strict=True):
            if end > begin:
                best = begin + int(np.argmax(gains[begin:end]))
                direction += rows[best] - rows[begin:end].mean(axis=0)
        return Direction(direction)


@dataclass(frozen=True)
class SeededStep(BatchOptimizer):
    """A step of seeded length along the objective's direction."""

    objective: ClassVar = Direction
    length: float = 1.0

    def solve(self, problem, start):
        direction = problem.objective.direction
        factor = self.length * (0.5 + np.random.default_rng(problem.seed).random())
        weights = start + factor * direction / (1.0 + np.abs(direction).sum())
        return OptimizerState(weights, 0.0, details={"factor": factor})


@dataclass(frozen=True)
class Always(BatchOptimizer):
    """Gives these weights whatever the objective."""

    objective: ClassVar = Objective
    weights: tuple[float, ...]

    def solve(self, problem, start):
        return OptimizerState(np.array(self.weights), 0.0)
