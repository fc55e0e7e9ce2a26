"""Weights learnt on training data, and the groups that they make (Liu et al. 2013, Algorithm 1, line 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.features.index import FeatureIndex
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.factored import FactoredMatrix
from tunesmith.search.lists.support import sentence_support
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.groups.learnt import Floats, Learnt, Mask
from tunesmith.tuning.groups.settings import Grouping
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.safeguards import check_weights
from tunesmith.tuning.optimizers.base import OptimizerState, Problem
from tunesmith.tuning.pools.base import Listed
from tunesmith.tuning.projection import Projection

Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class LearningProblem:
    """What weights are learnt from: a pool, which of its features are grouped, and which count.

    grouped: features that are put into groups.   shared: features whose weights decide about groups of others.
    rare: features of too few sentences; what is learnt of them does not count.
    """

    grouping: Grouping
    pool: Listed
    context: Context
    grouped: Mask
    shared: Mask
    rare: Mask

    @classmethod
    def on(
        cls, grouping: Grouping, pool: Listed, before: Floats, context: Context, support: Counts | None = None
    ) -> LearningProblem:
        """Return the problem on this pool; ConfigError where the features cannot be grouped, or not be shared.

        before: the present weights.   support: sentences in whose lists each feature fires, where only some of
            the sentences are learnt from.
        """
        grouped = grouping.grouped(pool.features, pool.columns)
        shared = grouping.is_shared(pool.features, pool.columns)
        _refuse_weighted(pool.features, shared, before)
        rare = np.zeros(len(grouped), dtype=bool)
        if grouping.support > 1:
            if support is None:
                support = sentence_support(pool.candidates, threads=context.threads)
            rare = (grouped | shared) & (support < grouping.support)
        return cls(grouping, pool, context, grouped, shared, rare)

    @property
    def alone(self) -> Mask:
        """Features that are neither grouped nor shared."""
        return ~(self.grouped | self.shared)

    def minimising(self, objective: Any, seed: int) -> Problem[Any, Any]:
        """Return the problem of the learner's optimizer, for its objective on the pool or a part of it."""
        learner, limits = self.grouping.learner, Limits.none(len(self.alone))
        if learner.optimizer.penalties:
            limits = Limits.penalising(~self.alone)
        return Problem(objective, learner.regularizer, limits, seed, self.context.threads, self.context.progress)

    def divided(self, fitted: OptimizerState, before: Floats, seed: int) -> tuple[Projection, Floats]:
        """Return groups by the learnt weights, and what was learnt of each; FormatError if they cannot be used."""
        check_weights(fitted.weights, self.pool.features, self.grouping.learner.regularizer)
        lists, threads = self.pool.candidates, self.context.threads
        weights = np.where(self.rare, 0.0, fitted.weights)
        if self.grouping.shared:
            weights = _summed_by_rule(lists, weights, ~self.alone, threads)
        learnt = Learnt(
            weights,
            fitted.weights,
            before,
            self.grouped,
            self.alone,
            self.rare,
            fitted.groups,
            lists,
            seed,
            threads,
        )
        return self.grouping.partition.divided(learnt)


def _refuse_weighted(features: FeatureIndex, shared: Mask, weights: Floats) -> None:
    """Raise ConfigError where a shared feature has a weight: it would be lost."""
    weighted = np.flatnonzero(shared & (weights[: len(shared)] != 0))
    if len(weighted):
        raise ConfigError(
            f"{features.name(int(weighted[0]))} has a weight of its own, which sharing it would take away; "
            "give sparse features of rules without weights, such as lexical_alignment:*"
        )


def _summed_by_rule(candidates: CandidateSet, weights: Floats, learning: Mask, threads: int) -> Floats:
    """Put the summed weights of all `learning` features of a rule in the place of its identity's weight.

    The others of them are 0: nothing of theirs is left over.
    """
    features = candidates.matrix.rule_features if isinstance(candidates.matrix, FactoredMatrix) else None
    if features is None or not features.id_columns:
        raise ConfigError(
            "which features rules share is known to a model with id features alone; lists from files were given"
        )
    if np.any(learning[features.columns :]):
        beyond = features.columns + int(np.argmax(learning[features.columns :]))
        raise ConfigError(
            f"{candidates.features.name(beyond)} is a feature of the search, which rules do not share; "
            "give features of rules such as lexical_alignment:*"
        )
    of_rules = features.scores(np.where(learning, weights, 0.0)[: features.columns], threads=threads)
    summed = np.where(learning, 0.0, weights)
    identities = features.id_columns
    summed[identities.start : identities.stop] = of_rules[: features.table_rules]
    return summed
