"""One epoch of online learning: batches decoded with the current weights, each followed by an update."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.features.index import FeatureIndex
from tunesmith.features.names import template_of
from tunesmith.features.start import is_dense
from tunesmith.tuning.constraints import Limits, limits_of
from tunesmith.tuning.growth import grown
from tunesmith.tuning.loop.batches import BatchDecoder
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.parts import Parts
from tunesmith.tuning.loop.running import ENDED, EPOCH, LARGEST, SUMS, Running
from tunesmith.tuning.loop.safeguards import check_weights
from tunesmith.tuning.loop.state import State
from tunesmith.tuning.loop.steps import DataStep
from tunesmith.tuning.optimizers.base import OptimizerState
from tunesmith.tuning.optimizers.online import OnlineLearner, OnlineOptimizer
from tunesmith.tuning.pools.base import Floats

OTHER = "other weights"
"""Name of an array of the state: the last weights of an epoch if the average is kept, or else the average."""


@dataclass(frozen=True)
class Schedule:
    """Division of sentences into batches; see `OnlineRounds`."""

    batch: int = 20
    delay: int = 0
    shards: int = 1
    shuffle: bool = True
    keep: str = "last"
    average: str = "epoch"


@dataclass(frozen=True)
class Epoch(DataStep):
    """A pass over all sentences of a source, shard by shard from common weights, then averaging of the shards.

    Only the states of the shards' optimizers outlive the epoch. Everything is applied in the order of the batches,
    so that results depend neither on threads nor on interruptions.
    """

    verb = "epoch"
    parts: Parts = field(kw_only=True)
    schedule: Schedule = field(kw_only=True)

    def run(self, state: State, context: Context) -> State:
        """Run the rest of the epoch."""
        for shard in range(self.schedule.shards):
            if not self._ended(state, self._shard(shard)):
                state = self._run_shard(state, context, shard)
        return self._mixed(state, context)

    def _shard(self, shard: int) -> str:
        return f"{self.name} {shard}" if self.schedule.shards > 1 else self.name

    def _ended(self, state: State, name: str) -> bool:
        numbers = state.optimizers[name].numbers if name in state.optimizers else {}
        return numbers.get(EPOCH) == state.round and numbers.get(ENDED) == 1.0

    def _orders(self, state: State, context: Context, shard: int) -> list[NDArray[np.uint32]]:
        """Return the batches of a shard in this epoch, in an order drawn for the epoch.

        Shard s of S has the sentences s, s + S, ….
        """
        total, shards, size = context.sources[self.source].sentences, self.schedule.shards, self.schedule.batch
        own = np.arange(shard, total, shards, dtype=np.uint32)
        if self.schedule.shuffle:
            own = own[_core.shuffled(len(own), context.seed_of(state, f"{self.name} order"), shard)]
        return [own[begin : begin + size] for begin in range(0, len(own), size)]

    def _run_shard(self, state: State, context: Context, shard: int) -> State:
        name, optimizer = self._shard(shard), self.parts.optimizer
        assert isinstance(optimizer, OnlineOptimizer)
        kept = state.optimizers.get(name)
        if kept is None:
            weights = self.limits(context, state.weights).clip(state.weights)
            chosen = self._chosen(state, context) if optimizer.first_pass else None
            kept = optimizer.first(weights, chosen)
        kept = kept.grown(len(state.weights))
        limits = self.limits(context, kept.weights)
        learner = optimizer.open(self.parts.regularizer, limits, kept)
        within = kept.numbers.get(EPOCH) == state.round
        if not within:
            learner.begin_epoch()
            if self.schedule.average == "epoch":
                learner.begin_average()
        orders = self._orders(state, context, shard)
        decoder = BatchDecoder(
            context, self.source, learner.weights(), self.schedule.delay, kept.arrays if within else {}
        )
        run = Running(self, context, decoder, learner, kept, within=within)
        with closing(decoder):
            for at in range(run.done, len(orders)):
                seed = context.seed_of(state, f"{name} batch {at}")
                run.batch(orders[at], seed, orders[at + 1] if at + 1 < len(orders) else None)
                context.progress(at + 1, len(orders), run.unit)
                if context.due():
                    within_epoch = run.state(state.round, at + 1)
                    saved = replace(state, optimizers={**state.optimizers, name: within_epoch})
                    state = context.saved(saved.grown(run.columns))
        ended = run.state(state.round, len(orders), ended=True)
        return replace(state, optimizers={**state.optimizers, name: ended}).grown(run.columns)

    def _chosen(self, state: State, context: Context) -> Floats:
        """Return statistics of the best translations under the start weights, from round 0.

        Zeros for empty lists.
        """
        best = context.newest(state, self.source).best(state.weights, threads=context.threads)
        rows = np.zeros((context.sources[self.source].sentences, best.statistics.shape[1]))
        rows[best.sentences] = best.statistics
        return rows

    def limits(self, context: Context, weights: Floats) -> Limits:
        """Return the limits of these weights, of which there may be more than before."""
        parts = self.parts
        if parts.constraints is None and not parts.penalised:
            return Limits.none(len(weights))
        return limits_of(parts.constraints, context.sources[self.source].features, weights, parts.penalised)

    def _mixed(self, state: State, context: Context) -> State:
        """Average the shards, from which all continue; returns the kept weights and the others."""
        optimizer, shards = self.parts.optimizer, self.schedule.shards
        assert isinstance(optimizer, OnlineOptimizer)
        names = [self._shard(shard) for shard in range(shards)]
        opened = {
            name: optimizer.open(self.parts.regularizer, self.limits(context, each.weights), each)
            for name in names
            for each in (state.optimizers[name],)
        }
        last = _mean([(each.weights(), 1) for each in opened.values()])
        average = _mean([each.average() for each in opened.values()])
        optimizers = dict(state.optimizers)
        for name, learner in opened.items():
            if shards > 1:
                learner.set_weights(last)
                optimizers[name] = replace(learner.state(), numbers=self._kept_numbers(learner, optimizers[name]))
        kept, other = (last, average) if self.schedule.keep == "last" else (average, last)
        features = context.sources[self.source].features
        check_weights(kept + 0.0, features, self.parts.regularizer)
        details = {**state.details, **self._details(state, names), **_changes(state.weights, kept)}
        details |= _by_template(features, kept)
        return replace(
            state,
            weights=kept + 0.0,
            optimizers=optimizers,
            arrays={**state.arrays, OTHER: other + 0.0},
            details=details,
        )

    @staticmethod
    def _kept_numbers(learner: OnlineLearner, before: OptimizerState) -> dict[str, float]:
        return {**before.numbers, **learner.state().numbers}

    def _details(self, state: State, names: list[str]) -> dict[str, float]:
        """Return mean loss per sentence, updates, and length ratio of the decoded translations."""
        sums = {key: sum(state.optimizers[name].numbers.get(key, 0.0) for name in names) for key in SUMS}
        found = {"loss": sums["loss"] / max(sums["sentences"], 1.0), "updates": sums["updates"]}
        if sums["reference words"]:
            found["length while learning"] = sums["words"] / sums["reference words"]
        for name in names:
            for key, value in state.optimizers[name].numbers.items():
                if key.startswith(LARGEST):
                    found[key] = max(value, found.get(key, value))
        return found


def _mean(vectors: list[tuple[Floats, int]]) -> Floats:
    """Return the weighted mean of vectors; a single vector unchanged."""
    if len(vectors) == 1:
        return vectors[0][0]
    total: Floats = sum((count * each for each, count in vectors), start=np.zeros(len(vectors[0][0])))
    return total / max(sum(count for _, count in vectors), 1)


def _changes(before: Floats, after: Floats) -> dict[str, float]:
    """Count weights that became non-zero and zero."""
    old, new = grown(before, len(after)) != 0, after != 0
    return {"appeared": float(np.count_nonzero(new & ~old)), "died": float(np.count_nonzero(old & ~new))}


def _by_template(features: FeatureIndex, weights: Floats) -> dict[str, float]:
    """Count features with a weight by template; dense features are counted together."""
    counts: dict[str, int] = {}
    for at in np.flatnonzero(weights).tolist():
        name = features.name(at)
        template = template_of(name)
        kind = "dense" if ":" not in name or is_dense(template) else template
        counts[kind] = counts.get(kind, 0) + 1
    return {f"active {name}": float(count) for name, count in sorted(counts.items())}
