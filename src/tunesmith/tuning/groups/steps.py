"""Steps that grouping adds to a round (Liu et al. 2013, Algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.features.index import FeatureIndex
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.groups.learning import LearningProblem
from tunesmith.tuning.groups.settings import Grouping
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.state import State
from tunesmith.tuning.loop.steps import Optimise, run_optimizer
from tunesmith.tuning.optimizers.base import OptimizerState
from tunesmith.tuning.pools.base import Floats, Listed, Projectable
from tunesmith.tuning.projection import Projection
from tunesmith.tuning.runs.group_files import ALONE, LEARNT, SUPPORT

_MOST_NAMED = 30  # weights of ungrouped features are in the history up to this number

TuneFrom = Literal["previous", "learnt"]


@dataclass(frozen=True)
class Group:
    """Learn weights on the training data, and divide features into groups by them (line 4)."""

    grouping: Grouping
    tune_from: TuneFrom = "previous"
    source: str = "train"
    name: ClassVar[str] = "group"

    def run(self, state: State, context: Context) -> State:
        pool, learner = listed(state, context, self.source), self.grouping.learner
        before, seed = state.weights, context.seed_of(state, self.name)
        learning = LearningProblem.on(self.grouping, pool, before, context)
        start = before[: pool.columns]
        fitted = OptimizerState(start, 0.0, finished=True)
        if self.grouping.partition.learns:
            problem = learning.minimising(learner.loss.prepare(pool, context.metric, seed), seed)
            state, fitted = run_optimizer(state, context, self.name, learner.optimizer, problem, start)
        groups, learnt = learning.divided(fitted, before, seed)
        in_groups = learning.grouped & (groups.groups >= 0)
        details = {
            **state.details,
            **{f"group {key}": float(value) for key, value in fitted.details.items()},
            "groups": float(groups.size),
            "grouped_features": float(np.count_nonzero(in_groups)),
            **_weights_of(pool.features, learning.alone, before, fitted.weights),
        }
        arrays = {
            **state.arrays,
            LEARNT: learnt,
            ALONE: groups.holding(~learning.grouped),
            **_support("train", pool, groups, context),
        }
        groups = groups.resized(len(before))
        weights = before if self.tune_from == "previous" else groups.unpack(learnt)
        return replace(state, weights=weights, projection=groups, arrays=arrays, details=details)


@dataclass(frozen=True)
class OptimiseAlone(Optimise):
    """The weights of ungrouped features that are best on the pool; grouped features have none."""

    grouping: Grouping = field(kw_only=True)

    def run(self, state: State, context: Context) -> State:
        pool = context.pool(state, self.source)
        assert isinstance(pool, Projectable)
        grouped = self.grouping.grouped(pool.features, len(state.weights))
        alone = Projection.beside_alone(np.full(len(grouped), -1), grouped)
        seen, start = pool.project(alone), alone.weights(state.weights)
        state, weights = self.fit(state, context, seen, start, Limits.none(len(start)))
        return self.with_weights(state, context, pool, alone.unpack(weights))


class OptimiseGroups(Optimise):
    """Optimise the weights of groups on the pool (line 5); every feature gets the weight of its group."""

    def run(self, state: State, context: Context) -> State:
        pool, groups = context.pool(state, self.source), state.projection
        assert groups is not None
        assert isinstance(pool, Projectable)
        seen, start = pool.project(groups), groups.weights(state.weights)
        state, weights = self.fit(state, context, seen, start, Limits.none(len(start)))
        assert isinstance(seen, Projectable)
        silent = seen.zero_columns()  # their weights are unknown here
        weights[silent] = 0.0
        state = replace(state, details={**state.details, "silent_groups": float(len(silent))})
        return self.with_weights(state, context, pool, groups.unpack(weights))


@dataclass(frozen=True)
class Unpack:
    """Give every feature the weight of its group (line 6), and count the groups."""

    source: str = "dev"
    name: ClassVar[str] = "unpack"

    def run(self, state: State, context: Context) -> State:
        """Run the step; weights already belong to features, since dev was decoded with them."""
        assert state.projection is not None
        weights = state.projection.weights(state.weights)
        pool = context.pool(state, self.source)
        assert isinstance(pool, Projectable)
        details = {**state.details, "active_groups": float(np.count_nonzero(weights))}
        arrays = {**state.arrays, **_support("dev", pool, state.projection, context)}
        return replace(state, weights=state.projection.unpack(weights), arrays=arrays, details=details)


def listed(state: State, context: Context, source: str) -> Listed:
    """Return the pool of a source as lists."""
    pool = context.pool(state, source)
    if not isinstance(pool, Listed):
        raise ConfigError(f"groups are learnt on lists; {type(pool).__name__} has none")
    return pool


def _support(data: str, pool: Projectable, groups: Projection, context: Context) -> dict[str, NDArray[np.int64]]:
    """Count sentences in which features and groups fire, by array names of a state."""
    known = groups.resized(max(pool.columns, len(groups.groups)))
    return {
        SUPPORT[data, "features"]: pool.support(threads=context.threads),
        SUPPORT[data, "groups"]: pool.support(known, threads=context.threads),
    }


def _weights_of(
    features: FeatureIndex, alone: NDArray[np.bool_], before: Floats, learnt: Floats
) -> dict[str, float]:
    """Return weights of ungrouped features before and after grouping, which later steps overwrite."""
    found = {}
    for number in np.flatnonzero(alone)[:_MOST_NAMED].tolist():
        name = features.name(number)
        found[f"before {name}"], found[f"learnt {name}"] = float(before[number]), float(learnt[number])
    return found
