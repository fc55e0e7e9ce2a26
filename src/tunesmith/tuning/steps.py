"""The steps of a batch round: decode, merge, optimise, measure (Cherry and Foster 2012, section 2).

A step turns one state into the next and holds nothing itself; the loop saves the state behind each. Run again from
the same state, a step gives the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np

from tunesmith.errors import ConfigError, FormatError
from tunesmith.search.candidates import CandidateSet
from tunesmith.tuning.choice import choose, word_ratio
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.losses import Loss
from tunesmith.tuning.optimizers import Optimizer
from tunesmith.tuning.regularizers import Regularizer
from tunesmith.tuning.safeguards import check_choice, check_weights
from tunesmith.tuning.state import Context, State, padded

UNCHANGED = 1e-6
"""Weights that moved by no more than this share of their largest one are the same weights."""


class Step(Protocol):
    """One named part of a round."""

    @property
    def name(self) -> str:
        """What progress, log and checkpoint call it."""

    def run(self, state: State, context: Context) -> State:
        """The state behind this step."""


@dataclass(frozen=True)
class Decode:
    """Candidates of a source under the present weights."""

    source: str = "dev"

    @property
    def name(self) -> str:
        """The development data needs no naming."""
        return "decode" if self.source == "dev" else f"decode {self.source}"

    def run(self, state: State, context: Context) -> State:
        """Fetch them; lists of a fixed source stay with the source."""
        found = context.fetch(self.source, state.weights)
        weights = padded(state.weights, found.columns)
        if context.sources[self.source].fixed:
            return replace(state, weights=weights)
        return replace(state, weights=weights, lists={**state.lists, "decoded": found})


@dataclass(frozen=True)
class Merge:
    """The lists of all rounds as one, each candidate once; without a new one there is nothing left to learn."""

    source: str = "dev"
    name: ClassVar[str] = "merge"

    def run(self, state: State, context: Context) -> State:
        """Put what was decoded to what was known."""
        found, known = newest(state, context, self.source), state.lists.get(self.source)
        if known is None:
            merged, new = found, len(found)
        else:
            merged = known.merge(found, threads=context.threads)
            new = len(merged) - len(known)
        context.note_once(check_choice(merged, context.metric))
        lists = {name: each for name, each in state.lists.items() if name != "decoded"}
        if not context.sources[self.source].fixed:
            lists[self.source] = merged
        numbers = {**state.numbers, "candidates": len(merged), "new": new}
        stop = None if new else "no new candidates"
        return replace(
            state, lists=lists, numbers=numbers, stop=stop, weights=padded(state.weights, merged.columns)
        )


@dataclass(frozen=True)
class Optimise:
    """The weights that are best on the merged lists by this loss, regularizer and optimizer.

    interpolation: share of the new weights, the rest is that of the weights before (ψ in Hopkins and May 2011).
    """

    loss: Loss
    optimizer: Optimizer
    regularizer: Regularizer | None = None
    constraints: Constraints | None = None
    interpolation: float = 1.0
    source: str = "dev"
    name: ClassVar[str] = "optimise"

    def run(self, state: State, context: Context) -> State:
        """Fit on features, or on groups of features where the state has a projection."""
        candidates, projection = pool(state, context, self.source), state.projection
        before = padded(state.weights, candidates.columns)
        seed = context.seed_of(state, self.name)
        lists, start = candidates, before
        if projection is not None:
            if self.constraints is not None:
                raise ConfigError("constraints name features and cannot be kept while groups are tuned")
            lists, start = candidates.project(projection.matrix), projection.weights(before)
        objective = self.loss.prepare(lists, context.metric, seed)
        fitted = self.optimizer.minimize(
            objective, self.regularizer, start, seed=seed, constraints=self.constraints, threads=context.threads
        )
        mixed = self.interpolation * fitted.weights + (1.0 - self.interpolation) * start
        weights = mixed if projection is None else projection.unpack(mixed)
        weights = weights + 0.0  # no negative zeros: a weight of 0 is read back as 0
        check_weights(weights, candidates.features, self.regularizer)
        score = choose(candidates, weights, context.metric, threads=context.threads).score
        moved = float(np.max(np.abs(weights - before), initial=0.0))
        same = state.round > 1 and moved <= UNCHANGED * float(np.max(np.abs(weights), initial=0.0))
        return replace(
            state,
            weights=weights,
            numbers={**state.numbers, "list_score": score},
            details={key: float(value) for key, value in fitted.details.items()},
            stop="the weights do not change any more" if same else None,
        )


@dataclass(frozen=True)
class Measure:
    """The metric of what the weights choose from what was decoded with them."""

    source: str = "dev"
    name: ClassVar[str] = "measure"

    def run(self, state: State, context: Context) -> State:
        """Score and length ratio."""
        candidates = newest(state, context, self.source)
        weights = padded(state.weights, candidates.columns)
        chosen = choose(candidates, weights, context.metric, threads=context.threads)
        numbers = {**state.numbers, "score": chosen.score}
        ratio, references = chosen.length_ratio, context.sources[self.source].references
        if ratio is None and references is not None:
            ratio = word_ratio(candidates, chosen.candidates, references)
        if ratio is not None:
            numbers["length_ratio"] = ratio
        return replace(state, numbers=numbers)


def newest(state: State, context: Context, source: str) -> CandidateSet:
    """What the last decoding gave."""
    return _lists(state, context, source, "decoded")


def pool(state: State, context: Context, source: str) -> CandidateSet:
    """All that a source gave so far."""
    return _lists(state, context, source, source)


def _lists(state: State, context: Context, source: str, name: str) -> CandidateSet:
    if context.sources[source].fixed:
        return context.fetch(source, state.weights)
    if name not in state.lists:
        raise FormatError(f"the candidates {name!r} that this step needs are not there; start anew with --restart")
    return state.lists[name]
