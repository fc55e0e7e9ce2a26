"""The steps that every plan is made of: decode, merge, optimise, measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Limits, limits_of
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.part_weights import weights_by_part, without_part_weights
from tunesmith.tuning.loop.plan import Parts
from tunesmith.tuning.loop.safeguards import check_weights
from tunesmith.tuning.loop.state import Floats, State, decoded
from tunesmith.tuning.optimizers.base import Optimizer, OptimizerState, Problem
from tunesmith.tuning.pools.base import Pool, Projectable

UNCHANGED = 1e-6
"""Weights that moved by no more than this share of their largest one are the same weights."""


def step_name(verb: str, source: str, turn: str) -> str:
    """What a step is called: the development data needs no naming where there is nothing else to tell apart."""
    return " ".join(part for part in (verb, source if source != "dev" or turn else "", turn) if part)


@dataclass(frozen=True)
class Decode:
    """Translations of a source under the present weights.

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
        """Fetch them; the pool of a fixed source stays with the source.

        Where each part of the training data has weights of its own, they are used up here.
        """
        by_part = None if self.source == "dev" else weights_by_part(state.arrays, len(state.weights))
        used = state.weights if by_part is None else by_part
        found = context.fetch(self.source, used, state.round, self._sentences(state, context))
        if by_part is not None:
            state = replace(state, arrays=without_part_weights(state.arrays))
        if len(state.weights) > len(found.features):
            raise ConfigError(f"{len(state.weights)} weights for {len(found.features)} features")
        if not context.sources[self.source].fixed:
            state = replace(state, pools={**state.pools, decoded(self.source): found})
        return state.grown(found.columns)

    def _sentences(self, state: State, context: Context) -> Sequence[int] | None:
        total = context.sources[self.source].sentences
        if self.sample is None or self.sample >= total:
            return None
        random = np.random.default_rng(context.seed_of(state, f"sample {self.name}"))
        chosen: list[int] = np.sort(random.choice(total, self.sample, replace=False)).tolist()
        return chosen


@dataclass(frozen=True)
class Merge:
    """The translations of all rounds in one pool, each once.

    stops: without a new translation there is nothing left to learn, and the run ends.
    """

    source: str = "dev"
    turn: str = ""
    stops: bool = True

    @property
    def name(self) -> str:
        """With the data that is merged."""
        return step_name("merge", self.source, self.turn)

    def run(self, state: State, context: Context) -> State:
        """Add what was decoded to what was known."""
        found, known = context.newest(state, self.source), state.pools.get(self.source)
        fixed = context.sources[self.source].fixed
        merged = found if fixed else self._merged(found, known, state, context)
        new = len(merged) - (0 if known is None else len(known))
        if known is None:  # more translations never leave less choice
            context.note_once(merged.check_choice(context.metric))
        pools = {name: each for name, each in state.pools.items() if name != decoded(self.source)}
        if not fixed:
            pools[self.source] = merged
        numbers = self._counted(state, len(merged), new)
        stop = "no new candidates" if self.stops and not new else None
        return replace(state, pools=pools, numbers=numbers, stop=stop).grown(merged.columns)

    def _merged(self, found: Pool, known: Pool | None, state: State, context: Context) -> Pool:
        """In memory, or written part by part where the run has a disk."""
        earlier, newer = (found, None) if known is None else (known, found)
        if context.disk is None:
            return earlier.merged(newer, threads=context.threads)
        return context.disk.write(
            self.source, state.round, lambda folder: earlier.merged(newer, folder, threads=context.threads)
        )

    def _counted(self, state: State, candidates: int, new: int) -> dict[str, float]:
        """Of several times in a round all that was new, of other data under a name of its own."""
        of = "" if self.source == "dev" else f"{self.source} "
        before = state.numbers.get(f"{of}new", 0) if self.turn else 0
        return {**state.numbers, f"{of}candidates": candidates, f"{of}new": new + before}


@dataclass(frozen=True)
class Optimise:
    """The weights that are best on the pool by these parts.

    interpolation: share of the new weights, the rest is that of the weights before (ψ in Hopkins and May 2011).
    stops: weights that do not change any more end the run.
    """

    parts: Parts
    interpolation: float = 1.0
    source: str = "dev"
    turn: str = ""
    stops: bool = True

    @property
    def name(self) -> str:
        """With the data that is learnt from."""
        return step_name("optimise", self.source, self.turn)

    def run(self, state: State, context: Context) -> State:
        """Fit features, or groups of features where the state has a projection."""
        pool, groups, before = context.pool(state, self.source), state.projection, state.weights
        seen, start = pool, before
        if groups is not None:
            if not isinstance(pool, Projectable):
                raise ConfigError(f"{type(pool).__name__} cannot be seen by groups of features")
            seen, start = pool.project(groups), groups.weights(before)
        seed, parts = context.seed_of(state, self.name), self.parts
        objective = parts.loss.prepare(seen, context.metric, seed)
        limits = self._limits(state, pool, len(start))
        problem = Problem(objective, parts.regularizer, limits, seed, context.threads, context.progress)
        state, fitted = run_optimizer(state, context, parts.optimizer, problem, start)
        details = {**state.details, **{key: float(value) for key, value in fitted.details.items()}}
        weights = self.interpolation * fitted.weights + (1.0 - self.interpolation) * start
        if groups is not None:
            assert isinstance(seen, Projectable)
            silent = seen.zero_columns()  # nothing is known of them here
            weights[silent] = 0.0
            details["silent_groups"] = float(len(silent))
            weights = groups.unpack(weights)
        weights = weights + 0.0  # no negative zeros: a weight of 0 is read back as 0
        check_weights(weights, pool.features, parts.regularizer)
        score = pool.best(weights, threads=context.threads).score(context.metric)
        moved = float(np.max(np.abs(weights - before), initial=0.0))
        same = moved <= UNCHANGED * float(np.max(np.abs(weights), initial=0.0))
        return replace(
            state,
            weights=weights,
            numbers={**state.numbers, "list_score": score},
            details=details,
            stop="the weights do not change any more" if self.stops and state.round > 1 and same else None,
        )

    def _limits(self, state: State, pool: Pool, columns: int) -> Limits:
        if state.projection is None:
            return limits_of(self.parts.constraints, pool.features, state.weights, self.parts.penalised)
        if self.parts.constraints is not None or self.parts.penalised:
            raise ConfigError("constraints name features and cannot be kept while groups are tuned")
        return Limits.none(columns)


def run_optimizer(
    state: State, context: Context, optimizer: Optimizer[Any, Any], problem: Problem[Any, Any], start: Floats
) -> tuple[State, OptimizerState]:
    """Run an optimizer to its end, from where it stands; its state is saved now and then."""
    running = optimizer.begin(problem, start) if state.optimizer is None else state.optimizer
    while not running.finished:
        running = optimizer.step(problem, running)
        if not running.finished:
            state = context.keep_now_and_then(replace(state, optimizer=running))
    return replace(state, optimizer=None), running


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
        best = context.newest(state, self.source).best(state.weights, threads=context.threads)
        score = best.score(context.metric)
        numbers = {**state.numbers, "score": score}
        details = {**state.details, f"score {self.turn}": score} if self.turn else state.details
        ratio = best.length_ratio(context.metric, context.sources[self.source].references)
        if ratio is not None:
            numbers["length_ratio"] = ratio
        return replace(state, numbers=numbers, details=details)
