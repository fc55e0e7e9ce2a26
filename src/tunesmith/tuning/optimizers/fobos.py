"""Forward-backward steps on single pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.losses.differences import Differences, Ranked
from tunesmith.tuning.optimizers.base import (
    BatchOptimizer,
    Floats,
    OptimizerState,
    Problem,
    Progress,
    optimizers,
    quiet,
)
from tunesmith.tuning.optimizers.cumulative_l1 import cumulative_l1
from tunesmith.tuning.optimizers.learner import Online
from tunesmith.tuning.optimizers.online_oscar import online_oscar
from tunesmith.tuning.optimizers.schedule import Iterate, Schedule
from tunesmith.tuning.projection import Projection
from tunesmith.tuning.regularizers.base import Cumulative, Ordered, Penalty, Strengths


@optimizers.register("fobos")
@dataclass(frozen=True)
class Fobos(BatchOptimizer[Ranked, Ordered | Cumulative]):
    """Online learning of ranked pairs by the hinge loss (Duchi and Singer 2009; Liu et al. 2013, Algorithm 2).

    A gradient step for a pair that is ranked wrongly or by a margin below 1, then the proximal step of the
    penalty: the published trajectory, at a cost that does not depend on the number of features (docs/oscar.md).

    All passes are one step of the optimizer: the learner keeps groups that move together, whose rounding depends
    on every step since they met, so weights saved between two passes would not give the same bytes.

    passes: passes over the pairs.   shuffle: each in an order of its own.
    rate, delay: steps of rate / (delay + t), t from 1; `pairs` is a delay of as many steps as there are pairs, so
        that the first steps do not overwrite the start.
    iterate: which weights are returned, the `last`, the `average` of all, or that over the `last_pass`.
    start: from the given `weights`, or from their `dense` part with all penalised ones 0.
    dense: features that are not penalised (a penalty of 0) `learn` with the others, or stay `fixed`.
    zeros: features of weight 0 take no part in the groups (`none`), or are one group of their own (`group`).
    """

    objective: ClassVar[type] = Ranked
    penalties: ClassVar[tuple[type, ...]] = (Ordered, Cumulative)
    online: ClassVar[bool] = True

    passes: int = 20
    rate: float = 1.0
    delay: float | Literal["pairs"] = 0.0
    iterate: Iterate = "last"
    start: Literal["weights", "dense"] = "weights"
    dense: Literal["learn", "fixed"] = "learn"
    shuffle: bool = True
    zeros: Literal["none", "group"] = "none"

    def __post_init__(self) -> None:
        if self.delay != "pairs" and not (isinstance(self.delay, (int, float)) and 0 <= self.delay < math.inf):
            raise ConfigError(f"delay = {self.delay!r}: a number of steps of at least 0 or `pairs` was expected")
        self._schedule(pairs=0, seed=0)  # checks the rest of it
        for name, words in (
            ("start", ("weights", "dense")),
            ("dense", ("learn", "fixed")),
            ("zeros", ("none", "group")),
        ):
            if getattr(self, name) not in words:
                raise ConfigError(f"{name} = {getattr(self, name)!r}: {' or '.join(words)} was expected")

    def check(self, loss: Loss[Any, Any] | None, penalty: Penalty | None, limits: Limits | None) -> None:
        """Features are penalised alike or not at all, and have no bounds."""
        if limits is None:
            return
        if limits.bounded:
            raise ConfigError(
                "Fobos keeps no bounds and fixes no single feature: dense='fixed' holds all features that are not "
                "penalised"
            )
        if not np.isin(limits.factors, (0.0, 1.0)).all():
            raise ConfigError("Fobos penalises features alike (a factor of 1) or not at all (0)")
        if not limits.factors.any():
            raise ConfigError("Fobos has no feature to penalise: every factor is 0")

    def solve(self, problem: Problem[Ranked, Ordered | Cumulative], start: Floats) -> OptimizerState:
        """The order of the pairs in pass j depends on (seed, j)."""
        self.check(None, problem.penalty, problem.limits)
        penalised = problem.limits.factors != 0
        differences = problem.objective.pairs(np.flatnonzero(penalised), threads=problem.threads)
        found = self.learn(differences, problem.penalty, start, seed=problem.seed, progress=problem.progress)
        value = differences.hinge(found.weights, threads=problem.threads)
        if problem.penalty is not None:
            value += problem.penalty.value(found.weights[penalised])
        groups = self._projection(penalised, found)
        return OptimizerState(found.weights, value, details=found.details, groups=groups)

    def learn(
        self,
        differences: Differences,
        penalty: Ordered | Cumulative | None,
        start: Floats,
        *,
        seed: int,
        progress: Progress = quiet,
    ) -> Online:
        """The same on pairs that are differences already."""
        schedule = self._schedule(len(differences), seed, progress)
        if self.start == "dense":
            whole, start = start, np.zeros_like(start)
            start[differences.unpenalised] = whole[differences.unpenalised]
        if isinstance(penalty, Cumulative):
            strength = penalty.cumulative_strength
            return cumulative_l1(differences, start, strength=strength, schedule=schedule)
        free = Strengths(0.0, 0.0, differences.dimension)
        l1, l2, d = free if penalty is None else penalty.strengths(differences.dimension)
        return online_oscar(differences, start, l1=l1, l2=l2, dimension=d, schedule=schedule)

    def _schedule(self, pairs: int, seed: int, progress: Progress = quiet) -> Schedule:
        return Schedule(
            passes=self.passes,
            rate=self.rate,
            delay=float(pairs) if self.delay == "pairs" else self.delay,
            iterate=self.iterate,
            learn_dense=self.dense == "learn",
            shuffle=self.shuffle,
            seed=seed,
            progress=progress,
        )

    def _projection(self, penalised: NDArray[np.bool_], found: Online) -> Projection | None:
        """Features without penalty first, each a group of its own; then the groups, highest weight first."""
        if found.groups is None:
            return None
        groups = found.groups
        if self.zeros == "group":
            groups = np.where(penalised & (groups < 0), groups.max(initial=-1) + 1, groups)
        return Projection.beside_alone(groups, penalised)
