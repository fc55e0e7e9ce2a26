"""What learners of OSCAR in shards share: which pairs a shard has, what they refuse, what they return."""

from __future__ import annotations

import contextlib
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tunesmith.checks import at_least
from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.losses.differences import Differences, Ranked
from tunesmith.tuning.optimizers.base import BatchOptimizer, Floats, OptimizerState, Problem
from tunesmith.tuning.optimizers.fobos import check_limits
from tunesmith.tuning.optimizers.oscar_problem import OscarProblem
from tunesmith.tuning.projection import Projection
from tunesmith.tuning.regularizers.base import Ordered, Penalty
from tunesmith.tuning.sums import learning  # noqa: F401 (what shards are asked registers itself)
from tunesmith.tuning.sums.parts import Parts, split


@dataclass(frozen=True, eq=False)
class Sharded:
    """Pairs in shards, and the problem that is minimised on all of them."""

    problem: OscarProblem
    parts: Parts
    sizes: tuple[int, ...]


@dataclass(frozen=True)
class ShardedLearner(BatchOptimizer[Ranked, Ordered]):
    """A learner of ranked pairs that are divided into shards, each worked on as a whole.

    shards: how many, neighbouring pairs in each. They are data: weights depend on their number, and not on that of
        workers or threads.
    """

    objective: ClassVar[type] = Ranked
    penalties: ClassVar[tuple[type, ...]] = (Ordered,)

    shards: int = 8

    def __post_init__(self) -> None:
        at_least(1, shards=self.shards)

    def check(self, loss: Loss[Any, Any] | None, penalty: Penalty | None, limits: Limits | None) -> None:
        """Refuse to work without a penalty, and limits other than penalty factors of 0 and 1."""
        if penalty is None:
            raise ConfigError(f"{type(self).__name__} cannot do without a penalty. Use Oscar or L1.")
        if limits is not None:
            check_limits(limits)

    def solve(self, problem: Problem[Ranked, Ordered], start: Floats) -> OptimizerState:
        assert problem.penalty is not None
        penalised = problem.limits.factors != 0
        columns = np.flatnonzero(penalised)
        differences = problem.objective.pairs(columns, threads=problem.threads)
        l1, l2, d = problem.penalty.strengths(len(columns))
        with self.opened(differences, l1, l2, d, problem) as sharded:
            point, details = self.learn(sharded, sharded.problem.start(start), problem)
            value = sharded.problem.objective(point)
            weights, groups = sharded.problem.whole(point)
        details = {**details, "objective": value, "shards": float(len(sharded.sizes))}
        return OptimizerState(weights, value, details=details, groups=Projection.beside_alone(groups, penalised))

    @contextlib.contextmanager
    def opened(
        self, differences: Differences, l1: float, l2: float, d: int, problem: Problem[Any, Any]
    ) -> Iterator[Sharded]:
        """Open the shards, in this process or on workers."""
        bounds = split(len(differences), self.shards)
        settings = (differences, l1, l2, d, problem.threads, problem.executor, bounds)
        with OscarProblem.opened(*settings) as opened:
            assert isinstance(opened.summing, Parts)
            yield Sharded(opened, opened.summing, tuple(end - begin for begin, end in bounds))

    @abstractmethod
    def learn(
        self, sharded: Sharded, point: Floats, problem: Problem[Ranked, Ordered]
    ) -> tuple[Floats, dict[str, float]]:
        """Return the point that was learnt, beginning at `point`, and what a reader may want to know."""
