"""The steps of a batch round: decode, merge, optimise, measure (Cherry and Foster 2012, section 2).

A step turns one state into the next and holds nothing itself; the loop saves the state behind each. Run again from
the same state, a step gives the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from tunesmith.errors import ConfigError, FormatError
from tunesmith.search.candidates import CandidateSet
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.loop.safeguards import check_choice, check_weights
from tunesmith.tuning.loop.state import BY_PART, Context, State, decoded, padded, weights_by_part
from tunesmith.tuning.losses import Loss
from tunesmith.tuning.optimizers import Optimizer
from tunesmith.tuning.pools.choice import choose, word_ratio
from tunesmith.tuning.regularizers import Penalty

UNCHANGED = 1e-6
"""Weights that moved by no more than this share of their largest one are the same weights."""


class Step(Protocol):
    """One named part of a round."""

    @property
    def name(self) -> str:
        """What progress, log and checkpoint call it."""

    def run(self, state: State, context: Context) -> State:
        """The state behind this step."""


def step_name(verb: str, source: str, turn: str) -> str:
    """What a step is called: the development data needs no naming where there is nothing else to tell apart."""
    return " ".join(part for part in (verb, source if source != "dev" or turn else "", turn) if part)


@dataclass(frozen=True)
class Decode:
    """Candidates of a source under the present weights.

    turn: which of several times in a round, such as `2/5`; empty where it is the only one.
    sample: so many sentences, others in every round; all without it.
    """

    source: str = "dev"
    turn: str = ""
    sample: int | None = None

    @property
    def name(self) -> str:
        """With the data that is decoded."""
        return step_name("decode", self.source, self.turn)

    def run(self, state: State, context: Context) -> State:
        """Fetch them; lists of a fixed source stay with the source.

        Where each part of the training data has weights of its own, they are used up here.
        """
        sentences = self._sentences(state, context)
        by_part = None if self.source == "dev" else weights_by_part(state, len(state.weights))
        used = state.weights if by_part is None else by_part
        found = context.fetch(self.source, used, state.round, sentences)
        if by_part is not None:
            left = {name: each for name, each in state.arrays.items() if name not in BY_PART.values()}
            state = replace(state, arrays=left)
        if len(state.weights) > len(found.features):
            raise ConfigError(f"{len(state.weights)} weights for {len(found.features)} features")
        weights = padded(state.weights, found.columns)
        if context.sources[self.source].fixed:
            return replace(state, weights=weights)
        return replace(state, weights=weights, lists={**state.lists, decoded(self.source): found})

    def _sentences(self, state: State, context: Context) -> Sequence[int] | None:
        total = context.sources[self.source].sentences
        if self.sample is None or self.sample >= total:
            return None
        random = np.random.default_rng(context.seed_of(state, f"sample {self.name}"))
        chosen: list[int] = np.sort(random.choice(total, self.sample, replace=False)).tolist()
        return chosen


@dataclass(frozen=True)
class Merge:
    """The lists of all rounds as one, each candidate once.

    stops: without a new candidate there is nothing left to learn, and the run ends.
    """

    source: str = "dev"
    turn: str = ""
    stops: bool = True

    @property
    def name(self) -> str:
        """With the data that is merged."""
        return step_name("merge", self.source, self.turn)

    def run(self, state: State, context: Context) -> State:
        """Put what was decoded to what was known."""
        found, known = newest(state, context, self.source), state.lists.get(self.source)
        sets = [found] if known is None else [known, found]
        fixed = context.sources[self.source].fixed
        merged = found if fixed else _merged(sets, self.source, state, context)
        new = len(merged) - (0 if known is None else len(known))
        if known is None:  # more candidates never leave less choice
            context.note_once(check_choice(merged, context.metric))
        lists = {name: each for name, each in state.lists.items() if name != decoded(self.source)}
        if not fixed:
            lists[self.source] = merged
        return replace(
            state,
            lists=lists,
            numbers=self._counted(state, len(merged), new),
            stop="no new candidates" if self.stops and not new else None,
            weights=padded(state.weights, merged.columns),
        )

    def _counted(self, state: State, candidates: int, new: int) -> dict[str, float]:
        """Of several times in a round all that was new, of other data under a name of its own."""
        of = "" if self.source == "dev" else f"{self.source} "
        before = state.numbers.get(f"{of}new", 0) if self.turn else 0
        return {**state.numbers, f"{of}candidates": candidates, f"{of}new": new + before}


def _merged(sets: Sequence[CandidateSet], source: str, state: State, context: Context) -> CandidateSet:
    """In memory, or written part by part where the run has a disk."""
    if context.disk is None:
        return CandidateSet.merge(sets, threads=context.threads)
    return context.disk.write(
        source, state.round, lambda folder: CandidateSet.merge(sets, folder=folder, threads=context.threads)
    )


@dataclass(frozen=True)
class Optimise:
    """The weights that are best on the merged lists by this loss, regularizer and optimizer.

    interpolation: share of the new weights, the rest is that of the weights before (ψ in Hopkins and May 2011).
    stops: weights that do not change any more end the run.
    """

    loss: Loss
    optimizer: Optimizer
    regularizer: Penalty | None = None
    constraints: Constraints | None = None
    interpolation: float = 1.0
    source: str = "dev"
    turn: str = ""
    stops: bool = True

    @property
    def name(self) -> str:
        """With the data that is learnt from."""
        return step_name("optimise", self.source, self.turn)

    def run(self, state: State, context: Context) -> State:
        """Fit on features, or on groups of features where the state has a projection."""
        candidates, projection = pool(state, context, self.source), state.projection
        before = padded(state.weights, candidates.columns)
        seed = context.seed_of(state, self.name)
        lists, start = candidates, before
        if projection is not None:
            if self.constraints is not None:
                raise ConfigError("constraints name features and cannot be kept while groups are tuned")
            projection = projection.resized(len(before))
            members = projection.resized(candidates.columns)
            lists, start = candidates.project(members.matrix), projection.weights(before)
        objective = self.loss.prepare(lists, context.metric, seed)
        fitted = self.optimizer.minimize(
            objective, self.regularizer, start, seed=seed, constraints=self.constraints, threads=context.threads
        )
        details = {**state.details, **{key: float(value) for key, value in fitted.details.items()}}
        weights = self.interpolation * fitted.weights + (1.0 - self.interpolation) * start
        if projection is not None:
            silent = lists.zero_columns()  # nothing is known of them here
            weights[silent] = 0.0
            details["silent_groups"] = float(len(silent))
            weights = projection.unpack(weights)
        weights = weights + 0.0  # no negative zeros: a weight of 0 is read back as 0
        check_weights(weights, candidates.features, self.regularizer)
        score = choose(candidates, weights, context.metric, threads=context.threads).score
        moved = float(np.max(np.abs(weights - before), initial=0.0))
        same = moved <= UNCHANGED * float(np.max(np.abs(weights), initial=0.0))
        return replace(
            state,
            weights=weights,
            numbers={**state.numbers, "list_score": score},
            details=details,
            stop="the weights do not change any more" if self.stops and state.round > 1 and same else None,
        )


@dataclass(frozen=True)
class Measure:
    """The metric of what the weights choose from what was decoded with them."""

    source: str = "dev"
    turn: str = ""

    @property
    def name(self) -> str:
        """With the data that is measured on."""
        return step_name("measure", self.source, self.turn)

    def run(self, state: State, context: Context) -> State:
        """Score and length ratio; of several times in a round the last one counts, all are in the details."""
        candidates = newest(state, context, self.source)
        weights = padded(state.weights, candidates.columns)
        chosen = choose(candidates, weights, context.metric, threads=context.threads)
        numbers = {**state.numbers, "score": chosen.score}
        details = {**state.details, f"score {self.turn}": chosen.score} if self.turn else state.details
        ratio, references = chosen.length_ratio, context.sources[self.source].references
        if ratio is None and references is not None:
            ratio = word_ratio(candidates, chosen.candidates, references)
        if ratio is not None:
            numbers["length_ratio"] = ratio
        return replace(state, numbers=numbers, details=details)


def newest(state: State, context: Context, source: str) -> CandidateSet:
    """What the last decoding gave."""
    return _lists(state, context, source, decoded(source))


def pool(state: State, context: Context, source: str) -> CandidateSet:
    """All that a source gave so far."""
    return _lists(state, context, source, source)


def _lists(state: State, context: Context, source: str, name: str) -> CandidateSet:
    if context.sources[source].fixed:
        return context.fetch(source, state.weights)
    if name not in state.lists:
        raise FormatError(f"the candidates {name!r} that this step needs are not there; start anew with --restart")
    return state.lists[name]
