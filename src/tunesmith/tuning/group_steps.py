"""The steps that grouping adds to a round (Liu et al. 2013, Algorithm 1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.support import sentence_support
from tunesmith.tuning.feature_names import name_of
from tunesmith.tuning.group_files import ALONE, LEARNT, SUPPORT
from tunesmith.tuning.group_settings import Grouping
from tunesmith.tuning.projection import Projection
from tunesmith.tuning.safeguards import check_weights
from tunesmith.tuning.state import Context, Floats, State, padded
from tunesmith.tuning.steps import Decode, Measure, Merge, Optimise, Step, pool

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
        grouped = grouping.grouped(candidates.features, candidates.columns)
        shared = grouping.is_shared(candidates.features, candidates.columns)
        _refuse_weighted(candidates.features, shared, before)
        learning = grouped | shared
        options: dict[str, Any] = {"constraints": grouping.constraints(candidates.features, ~learning)}
        if getattr(grouping.optimizer, "tells_progress", False):
            passes = grouping.optimizer.passes
            options["progress"] = lambda share: context.progress(round(share * passes), passes, "passes")
        objective = grouping.loss.prepare(candidates, context.metric, seed)
        fitted = grouping.optimizer.minimize(
            objective,
            grouping.regularizer,
            before[: candidates.columns],
            seed=seed,
            threads=context.threads,
            **options,
        )
        check_weights(fitted.weights, candidates.features, grouping.regularizer)
        rare = np.zeros(len(grouped), dtype=bool)
        if grouping.support > 1:
            rare = learning & (sentence_support(candidates, threads=context.threads) < grouping.support)
        weights = np.where(rare, 0.0, fitted.weights)
        if grouping.shared:
            weights = _summed_by_rule(candidates, weights, learning, context.threads)
        if grouping.bins is not None:
            projection = Projection.by_rank(weights, learning, grouping.bins)
        elif fitted.groups is None:
            projection = Projection.by_value(weights, grouped)
        else:
            projection = fitted.groups.without(rare)
        learnt = projection.weights(weights)
        if grouping.partition == "random":
            projection = projection.shuffled(grouped, seed)
        details = {
            **state.details,
            **{f"group {key}": float(value) for key, value in fitted.details.items()},
            "groups": float(projection.size),
            "grouped_features": float(np.count_nonzero(grouped & (projection.groups >= 0))),
            **_weights_told(candidates.features, ~learning, before, fitted.weights),
        }
        before = padded(before, len(projection.groups))
        return replace(
            state,
            weights=before if grouping.tune_from == "previous" else projection.unpack(learnt),
            projection=projection,
            arrays={
                **state.arrays,
                LEARNT: learnt,
                ALONE: projection.holding(~grouped),
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


def grouping_steps(grouping: Grouping, optimise: Optimise, inner_rounds: int) -> tuple[Step, ...]:
    """A round of Algorithm 1: the training data is decoded and grouped on, then groups are tuned on dev."""
    steps: list[Step] = [Decode("train", sample=grouping.sample), Merge("train", stops=False), Group(grouping)]
    for number in range(1, inner_rounds + 1):
        turn = f"{number}/{inner_rounds}"
        steps += [Merge(turn=turn, stops=False), replace(optimise, turn=turn, stops=False)]
        steps += [Decode(turn=turn), Measure(turn=turn)]
    return (*steps, Unpack())


def _refuse_weighted(features: Any, shared: NDArray[np.bool_], weights: Floats) -> None:
    """ConfigError where a shared feature has a weight: it would be lost."""
    weighted = np.flatnonzero(shared & (weights[: len(shared)] != 0))
    if len(weighted):
        raise ConfigError(
            f"{name_of(features, int(weighted[0]))} has a weight of its own, which sharing it would take away; "
            "sparse features of rules without weights, such as lexical_alignment:*, were expected"
        )


def _summed_by_rule(
    candidates: CandidateSet, weights: Floats, learning: NDArray[np.bool_], threads: int
) -> Floats:
    """The weights with those of all `learning` features of a rule together in the place of its identity's own.

    The others of them are 0: nothing of theirs is left over.
    """
    features = getattr(candidates.matrix, "rule_features", None)
    if features is None or not features.id_columns:
        raise ConfigError(
            "which features rules share is known to a model with id features alone; lists from files were given"
        )
    if np.any(learning[features.columns :]):
        beyond = features.columns + int(np.argmax(learning[features.columns :]))
        raise ConfigError(
            f"{name_of(candidates.features, beyond)} is a feature of the search, which rules do not share; "
            "features of rules such as lexical_alignment:* were expected"
        )
    of_rules = features.scores(np.where(learning, weights, 0.0)[: features.columns], threads=threads)
    summed = np.where(learning, 0.0, weights)
    identities = features.id_columns
    summed[identities.start : identities.stop] = of_rules[: features.table_rules]
    return summed


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
