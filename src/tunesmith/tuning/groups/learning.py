"""Weights learnt on training lists, and the groups that they make (Liu et al. 2013, Algorithm 1, line 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.support import sentence_support
from tunesmith.search.taking import sentences_in_order
from tunesmith.tuning.feature_names import name_of
from tunesmith.tuning.groups.projection import Projection
from tunesmith.tuning.groups.settings import Grouping
from tunesmith.tuning.loop.safeguards import check_weights
from tunesmith.tuning.loop.state import Context, Floats
from tunesmith.tuning.optimizers.base import OptimizerState


@dataclass(frozen=True, eq=False)
class Learning:
    """What is learnt on the lists of a source.

    grouped: features that are put into groups.   shared: those whose weights decide about groups of others.
    rare: features of too few sentences; what is learnt of them does not count.
    """

    grouping: Grouping
    candidates: CandidateSet
    context: Context
    grouped: NDArray[np.bool_]
    shared: NDArray[np.bool_]
    rare: NDArray[np.bool_]

    @classmethod
    def on(
        cls,
        grouping: Grouping,
        candidates: CandidateSet,
        before: Floats,
        context: Context,
        chosen: NDArray[np.bool_] | None = None,
    ) -> Learning:
        """ConfigError where these features cannot be grouped, or not be shared.

        before: the present weights.   chosen: the sentences that are learnt from; all without it.
        """
        grouped = grouping.grouped(candidates.features, candidates.columns)
        shared = grouping.is_shared(candidates.features, candidates.columns)
        _refuse_weighted(candidates.features, shared, before)
        rare = np.zeros(len(grouped), dtype=bool)
        if grouping.support > 1:
            lists = candidates if chosen is None else sentences_in_order(candidates, np.flatnonzero(chosen))
            rare = (grouped | shared) & (sentence_support(lists, threads=context.threads) < grouping.support)
        return cls(grouping, candidates, context, grouped, shared, rare)

    @property
    def alone(self) -> NDArray[np.bool_]:
        """Features that are neither grouped nor shared."""
        return ~(self.grouped | self.shared)

    def fit(self, objective: Any, start: Floats, seed: int) -> OptimizerState:
        """The weights that are best by this objective, of the candidates or a part of them."""
        grouping, context = self.grouping, self.context
        options: dict[str, Any] = {"constraints": grouping.constraints(self.candidates.features, self.alone)}
        if getattr(grouping.optimizer, "tells_progress", False):
            passes = grouping.optimizer.passes
            options["progress"] = lambda share: context.progress(round(share * passes), passes, "passes")
        fitted: OptimizerState = grouping.optimizer.minimize(
            objective,
            grouping.regularizer,
            start[: self.candidates.columns],
            seed=seed,
            threads=context.threads,
            **options,
        )
        check_weights(fitted.weights, self.candidates.features, grouping.regularizer)
        return fitted

    def groups(self, fitted: OptimizerState, before: Floats, seed: int) -> tuple[Projection, Floats]:
        """The groups that learnt weights make, or chance instead of them, and their weights as learnt."""
        grouping = self.grouping
        weights = np.where(self.rare, 0.0, fitted.weights)
        if grouping.shared:
            weights = _summed_by_rule(self.candidates, weights, ~self.alone, self.context.threads)
        if grouping.bins is not None:
            projection = Projection.by_rank(weights, ~self.alone, grouping.bins)
        elif fitted.groups is None:
            projection = Projection.by_value(weights, self.grouped)
        else:
            projection = fitted.groups.without(self.rare)
        if grouping.members == "learnt":
            projection = projection.shared_out(weights * self._proportion(fitted.weights, before), self.grouped)
        learnt = projection.weights(weights)
        if grouping.partition == "random":
            projection = projection.shuffled(self.grouped, seed)
        return projection, learnt

    def _proportion(self, learnt: Floats, before: Floats) -> float:
        """How many times more the features that stand alone tell candidates apart than as they were learnt.

        By the spread of what they give to the candidates of a sentence; 1 where they have no weights.
        """
        now, then = (self._spread(np.where(self.alone, each[: len(learnt)], 0.0)) for each in (before, learnt))
        return now / then if now > 0 and then > 0 else 1.0

    def _spread(self, weights: Floats) -> float:
        """The standard deviation of scores within the lists."""
        scores = self.candidates.scores(weights, threads=self.context.threads)
        of = self.candidates.sentence_of
        sizes = np.maximum(np.bincount(of, minlength=self.candidates.sentences), 1)
        means = np.bincount(of, weights=scores, minlength=self.candidates.sentences) / sizes
        return float(np.sqrt(np.mean((scores - means[of]) ** 2))) if len(scores) else 0.0


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
