"""The steps that grouping adds to a round (Liu et al. 2013, Algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tunesmith.search.candidates import CandidateSet
from tunesmith.search.support import sentence_support
from tunesmith.tuning.feature_names import name_of
from tunesmith.tuning.groups.cross_fit import CrossFit
from tunesmith.tuning.groups.learning import Learning
from tunesmith.tuning.groups.projection import Projection
from tunesmith.tuning.groups.settings import Grouping
from tunesmith.tuning.loop.state import Context, Floats, State, padded
from tunesmith.tuning.loop.steps import Decode, Measure, Merge, Optimise, Step, pool
from tunesmith.tuning.runs.group_files import ALONE, LEARNT, SUPPORT

_MOST_NAMED = 30  # weights of ungrouped features are told in the history up to this number


@dataclass(frozen=True)
class Group:
    """Groups of features: weights learnt on the training lists, features of equal weight are one (line 4)."""

    grouping: Grouping
    source: str = "train"
    name: ClassVar[str] = "group"

    def run(self, state: State, context: Context) -> State:
        """Set the projection that the development data is tuned with."""
        grouping, candidates = self.grouping, pool(state, context, self.source)
        before = padded(state.weights, candidates.columns)
        seed = context.seed_of(state, self.name)
        learning = Learning.on(grouping, candidates, before, context)
        fitted = learning.fit(grouping.loss.prepare(candidates, context.metric, seed), before, seed)
        projection, learnt = learning.groups(fitted, before, seed)
        in_groups = learning.grouped & (projection.groups >= 0)
        details = {
            **state.details,
            **{f"group {key}": float(value) for key, value in fitted.details.items()},
            "groups": float(projection.size),
            "grouped_features": float(np.count_nonzero(in_groups)),
            **_weights_told(candidates.features, learning.alone, before, fitted.weights),
        }
        before = padded(before, len(projection.groups))
        return replace(
            state,
            weights=before if grouping.tune_from == "previous" else projection.unpack(learnt),
            projection=projection,
            arrays={
                **state.arrays,
                LEARNT: learnt,
                ALONE: projection.holding(~learning.grouped),
                **_support("train", candidates, projection, context),
            },
            details=details,
        )


@dataclass(frozen=True)
class Unpack:
    """Every feature has the weight of its group (line 6); what became of the groups is counted."""

    source: str = "dev"
    name: ClassVar[str] = "unpack"

    def run(self, state: State, context: Context) -> State:
        """The weights are those of features already: the development data was decoded with them."""
        assert state.projection is not None
        projection = state.projection.resized(len(state.weights))
        weights = projection.weights(state.weights)
        lists: CandidateSet = pool(state, context, self.source)
        details = {**state.details, "active_groups": float(np.count_nonzero(weights))}
        arrays = {**state.arrays, **_support("dev", lists, projection, context)}
        return replace(state, weights=projection.unpack(weights), arrays=arrays, details=details)


def grouping_steps(
    grouping: Grouping, optimise: Optimise, inner_rounds: int, *, cross_fit: bool = False
) -> tuple[Step, ...]:
    """A round of Algorithm 1: the training data is decoded and grouped on, then groups are tuned on dev."""
    steps: list[Step] = [CrossFit(grouping)] if cross_fit else []
    steps += [Decode("train", sample=grouping.sample), Merge("train", stops=False), Group(grouping)]
    for number in range(1, inner_rounds + 1):
        turn = f"{number}/{inner_rounds}"
        steps += [Merge(turn=turn, stops=False), replace(optimise, turn=turn, stops=False)]
        steps += [Decode(turn=turn), Measure(turn=turn)]
    return (*steps, Unpack())


def _support(
    data: str, candidates: CandidateSet, projection: Projection, context: Context
) -> dict[str, NDArray[np.int64]]:
    """In the lists of how many sentences features and groups fire, by the names that a state has for it."""
    groups = projection.resized(max(candidates.columns, len(projection.groups)))
    return {
        SUPPORT[data, "features"]: sentence_support(candidates, threads=context.threads),
        SUPPORT[data, "groups"]: sentence_support(
            candidates, groups.groups, projection.size, threads=context.threads
        ),
    }


def _weights_told(features: Any, alone: NDArray[np.bool_], before: Floats, learnt: Floats) -> dict[str, float]:
    """Weights of ungrouped features before and after grouping: the first steps overwrite what there was."""
    numbers = np.flatnonzero(alone)[:_MOST_NAMED].tolist()
    told = {}
    for number in numbers:
        name = name_of(features, number)
        told[f"before {name}"], told[f"learnt {name}"] = float(before[number]), float(learnt[number])
    return told
