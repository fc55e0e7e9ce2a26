"""Steps of all plans: decode, merge, optimise, measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from tunesmith.errors import ConfigError
from tunesmith.metrics.low_scores import low_score_warning
from tunesmith.tuning.constraints import Limits, limits_of
from tunesmith.tuning.growth import resized
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.part_weights import weights_by_part, without_part_weights
from tunesmith.tuning.loop.parts import Parts
from tunesmith.tuning.loop.safeguards import check_weights
from tunesmith.tuning.loop.state import State, decoded, visited
from tunesmith.tuning.optimizers.base import VISITED, Optimizer, OptimizerState, Problem
from tunesmith.tuning.pools.base import Best, Floats, Keeping, Pool, Projectable
from tunesmith.tuning.projection import Projection
from tunesmith.tuning.sums.objective import distributed

UNCHANGED = 1e-6
"""Weights that moved by at most this share of the largest weight count as unchanged."""


@dataclass(frozen=True)
class DataStep:
    """A step on the data of a source.

    turn: number of a repetition in a round, such as `2/5`; empty for a single one.
    """

    verb: ClassVar[str]
    source: str = "dev"
    turn: str = ""

    @property
    def name(self) -> str:
        """Name of the step; omits dev if there is no other data."""
        source = self.source if self.source != "dev" or self.turn else ""
        return " ".join(part for part in (self.verb, source, self.turn) if part)


@dataclass(frozen=True)
class Decode(DataStep):
    """The step that decodes a source under the current weights.

    sample: number of sentences, different in every round; default: all.
    """

    verb = "decode"
    sample: int | None = None

    def run(self, state: State, context: Context) -> State:
        """Run the step; the pool of a fixed source stays with the source.

        Weights of held-out folds are consumed here.
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
class Merge(DataStep):
    """The step that merges the translations of all rounds in one pool without duplicates.

    stops: the run ends if there is no new translation.
    """

    verb = "merge"
    stops: bool = True

    def run(self, state: State, context: Context) -> State:
        found, known = context.newest(state, self.source), state.pools.get(self.source)
        visits = state.arrays.get(visited(self.source))
        if visits is not None and isinstance(known, Keeping):
            known = known.keeping(visits)
        fixed = context.sources[self.source].fixed
        merged = found if fixed else self._merged(found, known, state, context)
        new = merged.new_since(known)
        if known is None:  # more translations cannot reduce the choice
            context.note_once(merged.check_choice(context.metric))
        pools = {name: each for name, each in state.pools.items() if name != decoded(self.source)}
        if not fixed:
            pools[self.source] = merged
        numbers = self._counted(state, len(merged), new)
        stop = "no new candidates" if self.stops and not new else None
        return replace(state, pools=pools, numbers=numbers, stop=stop).grown(merged.columns)

    def _merged(self, found: Pool, known: Pool | None, state: State, context: Context) -> Pool:
        """Merge in memory, or in parts on disk if the run has one."""
        earlier, newer = (found, None) if known is None else (known, found)
        if context.disk is None:
            return earlier.merged(newer, threads=context.threads)
        return context.disk.write(
            self.source, state.round, lambda folder: earlier.merged(newer, folder, threads=context.threads)
        )

    def _counted(self, state: State, candidates: int, new: int) -> dict[str, float]:
        """Return the numbers of the step, with new translations summed over a round.

        Numbers of data other than dev have names of their own.
        """
        of = "" if self.source == "dev" else f"{self.source} "
        before = state.numbers.get(f"{of}new", 0) if self.turn else 0
        return {**state.numbers, f"{of}candidates": candidates, f"{of}new": new + before}


@dataclass(frozen=True)
class Optimise(DataStep):
    """The step that optimises the weights on the pool.

    interpolation: share of the new weights, the rest is the previous weights (ψ in Hopkins and May 2011).
    stops: the run ends if the weights do not change any more.
    min_sentences: features that fire in the lists of fewer sentences, and have no weight yet, are not tuned.
    """

    verb = "optimise"
    parts: Parts = field(kw_only=True)
    interpolation: float = 1.0
    stops: bool = True
    min_sentences: int = 1

    def run(self, state: State, context: Context) -> State:
        """Fit the weights of all tuned features."""
        pool, parts = context.pool(state, self.source), self.parts
        limits = limits_of(parts.constraints, pool.features, state.weights, parts.penalised)
        if self.min_sentences == 1:
            state, weights = self.fit(state, context, pool, state.weights, limits)
            return self.with_weights(state, context, pool, weights)
        assert isinstance(pool, Projectable)
        support = resized(pool.support(threads=context.threads), len(state.weights), 0)
        admitted = (support >= self.min_sentences) | (state.weights != 0)
        groups = Projection.only(admitted)
        seen, start = pool.project(groups), groups.weights(state.weights)
        state, found = self.fit(state, context, seen, start, limits.only(admitted))
        state = replace(state, details={**state.details, "admitted_features": float(np.count_nonzero(admitted))})
        return self.with_weights(state, context, pool, groups.unpack(found))

    def fit(
        self, state: State, context: Context, pool: Pool, start: Floats, limits: Limits
    ) -> tuple[State, Floats]:
        """Run the optimizer; returns the state with its details, and the weights interpolated with `start`."""
        seed, parts = context.seed_of(state, self.name), self.parts
        objective = parts.loss.prepare(pool, context.metric, seed)
        problem = Problem(objective, parts.regularizer, limits, seed, context.threads, context.progress)
        state, fitted = run_optimizer(state, context, self.name, parts.optimizer, problem, start)
        details = {**state.details, **{key: float(value) for key, value in fitted.details.items()}}
        if VISITED in fitted.arrays:
            state = replace(state, arrays={**state.arrays, visited(self.source): fitted.arrays[VISITED]})
        weights = self.interpolation * fitted.weights + (1.0 - self.interpolation) * start
        return replace(state, details=details), weights

    def with_weights(self, state: State, context: Context, pool: Pool, weights: Floats) -> State:
        """Check new weights of all features, score them on the pool, and return the state with them."""
        before, weights = (
            state.weights,
            weights + 0.0,
        )  # no negative zeros, so that a weight of 0 is read back as 0
        check_weights(weights, pool.features, self.parts.regularizer)
        score = pool.best(weights, threads=context.threads).score(context.metric)
        moved = float(np.max(np.abs(weights - before), initial=0.0))
        same = moved <= UNCHANGED * float(np.max(np.abs(weights), initial=0.0))
        return replace(
            state,
            weights=weights,
            numbers={**state.numbers, "list_score": score},
            stop="the weights do not change any more" if self.stops and state.round > 1 and same else None,
        )


def run_optimizer(
    state: State,
    context: Context,
    name: str,
    optimizer: Optimizer[Any, Any],
    problem: Problem[Any, Any],
    start: Floats,
) -> tuple[State, OptimizerState]:
    """Run the optimizer of the step `name` to its end, from the state of an interrupted run if there is one."""
    others = {each: kept for each, kept in state.optimizers.items() if each != name}
    with distributed(problem.objective, context.executor) as objective:
        problem = replace(problem, objective=objective, executor=context.executor)
        running = state.optimizers.get(name) or optimizer.begin(problem, start)
        while not running.finished:
            running = optimizer.step(problem, running)
            if not running.finished:
                state = context.updated(replace(state, optimizers={**others, name: running}))
    return replace(state, optimizers=others), running


class Measure(DataStep):
    """The step that measures the best translations of the last decoding."""

    verb = "measure"

    def run(self, state: State, context: Context) -> State:
        """Compute score and length ratio; the last repetition in a round counts, all are in the details."""
        best = context.newest(state, self.source).best(state.weights, threads=context.threads)
        score = best.score(context.metric)
        self._warn(state, context, best, score)
        numbers = {**state.numbers, "score": score}
        details = {**state.details, f"score {self.turn}": score} if self.turn else state.details
        ratio = best.length_ratio(context.metric, context.sources[self.source].references)
        if ratio is not None:
            numbers["length_ratio"] = ratio
        return replace(state, numbers=numbers, details=details)

    def _warn(self, state: State, context: Context, best: Best, score: float) -> None:
        """Warn of a score near 0 with the likely cause, at the start and once later."""
        when = "at the start" if not state.round else f"after round {state.round}"
        references = context.sources[self.source].references
        chosen = None if references is None else [references[at] for at in best.sentences.tolist()]
        if warning := low_score_warning(context.metric, score, when, best.texts, chosen):
            context.warn_once(f"low score {'later' if state.round else 'start'}", warning)
