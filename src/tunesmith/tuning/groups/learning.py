"""Weights learnt on training data, and the groups that they make (Liu et al. 2013, Algorithm 1, line 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.features.index import FeatureIndex
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.factored import FactoredMatrix
from tunesmith.search.support import sentence_support
from tunesmith.search.taking import sentences_in_order
from tunesmith.tuning.groups.settings import Grouping
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.safeguards import check_weights
from tunesmith.tuning.loop.state import Floats
from tunesmith.tuning.optimizers.base import OptimizerState, Problem
from tunesmith.tuning.pools.base import Listed
from tunesmith.tuning.projection import Projection

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Lesson:
    """What is learnt on a pool: which features are grouped, and which count.

    grouped: features that are put into groups.   shared: those whose weights decide about groups of others.
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
        cls, grouping: Grouping, pool: Listed, before: Floats, context: Context, chosen: Mask | None = None
    ) -> Lesson:
        """ConfigError where these features cannot be grouped, or not be shared.

        before: the present weights.   chosen: the sentences that are learnt from; all without it.
        """
        grouped = grouping.grouped(pool.features, pool.columns)
        shared = grouping.is_shared(pool.features, pool.columns)
        _refuse_weighted(pool.features, shared, before)
        rare = np.zeros(len(grouped), dtype=bool)
        if grouping.support > 1:
            lists = pool.candidates
            lists = lists if chosen is None else sentences_in_order(lists, np.flatnonzero(chosen))
            rare = (grouped | shared) & (sentence_support(lists, threads=context.threads) < grouping.support)
        return cls(grouping, pool, context, grouped, shared, rare)

    @property
    def alone(self) -> Mask:
        """Features that are neither grouped nor shared."""
        return ~(self.grouped | self.shared)

    def problem(self, objective: Any, seed: int) -> Problem[Any, Any]:
        """What the learner minimises, given its objective on the pool or a part of it."""
        penalty, limits = self.grouping.learner.regularizer, self.grouping.limits(self.alone)
        return Problem(objective, penalty, limits, seed, self.context.threads, self.context.progress)

    def learnt(self, fitted: OptimizerState, before: Floats, seed: int) -> Learning:
        """What the weights found teach; ConfigError or FormatError if they cannot be used."""
        learner = self.grouping.learner
        check_weights(fitted.weights, self.pool.features, learner.regularizer)
        weights = np.where(self.rare, 0.0, fitted.weights)
        if self.grouping.shared:
            weights = _summed_by_rule(self.pool.candidates, weights, ~self.alone, self.context.threads)
        return Learning(self, fitted, weights, before, seed)


@dataclass(frozen=True, eq=False)
class Learning:
    """What a lesson has taught: the `Learnt` that a partition divides."""

    lesson: Lesson
    fitted: OptimizerState
    weights: Floats
    before: Floats
    seed: int

    @property
    def grouped(self) -> Mask:
        """Features that are put into groups."""
        return self.lesson.grouped

    @property
    def alone(self) -> Mask:
        """Features that are groups of their own."""
        return self.lesson.alone

    @property
    def rare(self) -> Mask:
        """Features of too few sentences."""
        return self.lesson.rare

    @property
    def ties(self) -> Projection | None:
        """Features of equal weight, where the optimizer knows them."""
        return self.fitted.groups

    def groups(self) -> tuple[Projection, Floats]:
        """The groups, and their weights as learnt."""
        partition = self.lesson.grouping.partition
        groups = partition.groups(self)
        return groups, partition.weights(groups, self)

    def proportion(self) -> float:
        """How many times more the features that stand alone tell candidates apart than as they were learnt.

        By the spread of what they give to the candidates of a sentence; 1 where they have no weights.
        """
        learnt = self.fitted.weights
        sides = (np.where(self.alone, each[: len(learnt)], 0.0) for each in (self.before, learnt))
        now, then = (self._spread(each) for each in sides)
        return now / then if now > 0 and then > 0 else 1.0

    def _spread(self, weights: Floats) -> float:
        """The standard deviation of scores within the lists."""
        lists = self.lesson.pool.candidates
        scores = lists.scores(weights, threads=self.lesson.context.threads)
        of = lists.sentence_of
        sizes = np.maximum(np.bincount(of, minlength=lists.sentences), 1)
        means = np.bincount(of, weights=scores, minlength=lists.sentences) / sizes
        return float(np.sqrt(np.mean((scores - means[of]) ** 2))) if len(scores) else 0.0


def _refuse_weighted(features: FeatureIndex, shared: NDArray[np.bool_], weights: Floats) -> None:
    """ConfigError where a shared feature has a weight: it would be lost."""
    weighted = np.flatnonzero(shared & (weights[: len(shared)] != 0))
    if len(weighted):
        raise ConfigError(
            f"{features.name(int(weighted[0]))} has a weight of its own, which sharing it would take away; "
            "give sparse features of rules without weights, such as lexical_alignment:*"
        )


def _summed_by_rule(
    candidates: CandidateSet, weights: Floats, learning: NDArray[np.bool_], threads: int
) -> Floats:
    """The weights with those of all `learning` features of a rule together in the place of its identity's own.

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
