"""One epoch of online learning: batches decoded with the current weights, each followed by an update."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import FormatError, TunesmithError
from tunesmith.features.index import FeatureIndex
from tunesmith.features.names import template_of
from tunesmith.features.start import is_dense
from tunesmith.tuning.constraints import Limits, limits_of
from tunesmith.tuning.growth import grown
from tunesmith.tuning.loop.batches import DELAYED, BatchDecoder
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.parts import Parts
from tunesmith.tuning.loop.safeguards import check_weights
from tunesmith.tuning.loop.state import State
from tunesmith.tuning.loop.steps import DataStep
from tunesmith.tuning.losses.base import NothingToLearnError
from tunesmith.tuning.optimizers.base import OptimizerState
from tunesmith.tuning.optimizers.online import Batch, Learnt, OnlineLearner, OnlineOptimizer
from tunesmith.tuning.pools.base import Floats, Listed, Pool

OTHER = "other weights"
"""Name of an array of the state: the last weights of an epoch if the average is kept, or else the average."""
_EPOCH, _BATCHES, _ENDED = "epoch", "batches", "ended"
_SUMS = ("loss", "updates", "sentences", "words", "reference words")
_LARGEST = "largest "
"""Begins the names of numbers that are the largest of a detail in the updates of an epoch."""


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
        return numbers.get(_EPOCH) == state.round and numbers.get(_ENDED) == 1.0

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
            weights = self._limits(context, state.weights).clip(state.weights)
            chosen = self._chosen(state, context) if optimizer.first_pass else None
            kept = optimizer.first(weights, chosen)
        kept = kept.grown(len(state.weights))
        limits = self._limits(context, kept.weights)
        learner = optimizer.open(self.parts.regularizer, limits, kept)
        within = kept.numbers.get(_EPOCH) == state.round
        run = _Running(self, context, learner, kept, within=within)
        if not within:
            learner.begin_epoch()
            if self.schedule.average == "epoch":
                learner.begin_average()
        orders = self._orders(state, context, shard)
        for at in range(run.done, len(orders)):
            seed = context.seed_of(state, f"{name} batch {at}")
            run.batch(orders[at], seed)
            context.progress(at + 1, len(orders), run.unit)
            if context.due():
                saved = replace(state, optimizers={**state.optimizers, name: run.state(state.round, at + 1)})
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

    def _limits(self, context: Context, weights: Floats) -> Limits:
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
            name: optimizer.open(self.parts.regularizer, self._limits(context, each.weights), each)
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
        sums = {key: sum(state.optimizers[name].numbers.get(key, 0.0) for name in names) for key in _SUMS}
        found = {"loss": sums["loss"] / max(sums["sentences"], 1.0), "updates": sums["updates"]}
        if sums["reference words"]:
            found["length while learning"] = sums["words"] / sums["reference words"]
        for name in names:
            for key, value in state.optimizers[name].numbers.items():
                if key.startswith(_LARGEST):
                    found[key] = max(value, found.get(key, value))
        return found


class _Running:
    """A shard in progress."""

    def __init__(
        self, step: Epoch, context: Context, learner: OnlineLearner, kept: OptimizerState, *, within: bool
    ) -> None:
        self._step, self._context, self._learner = step, context, learner
        self.columns = len(kept.weights)
        self.done = int(kept.numbers.get(_BATCHES, 0)) if within else 0
        self._sums = {key: kept.numbers.get(key, 0.0) if within else 0.0 for key in _SUMS}
        self._largest = {key: value for key, value in kept.numbers.items() if within and key.startswith(_LARGEST)}
        arrays = kept.arrays if within else {}
        self._decoder = BatchDecoder(context, step.source, learner.weights(), step.schedule.delay, arrays)
        self._fixed = context.sources[step.source].fixed

    def batch(self, sentences: NDArray[np.uint32], seed: int) -> None:
        """Decode, update, and pass the changes to the decoder."""
        pool = self._decoder.decode(sentences)
        if pool.columns > self.columns:
            self.columns = pool.columns
            weights = grown(self._learner.weights(), self.columns)
            self._learner.grow(self.columns, self._step._limits(self._context, weights))
        chosen = self._chosen(pool)
        learnt = self._learn(pool, sentences, seed)
        if not self._fixed:
            self._decoder.changed(self._learner.changed())
        for key, value in self._counted(chosen, len(sentences), learnt):
            self._sums[key] += value
        for key, value in learnt.details.items():
            self._largest[_LARGEST + key] = max(value, self._largest.get(_LARGEST + key, value))

    def _chosen(self, pool: Pool) -> NDArray[np.float64] | None:
        """Return statistics of the decoder's best translations, if the metric has lengths."""
        if self._fixed or not len(pool) or self._context.metric.bleu_smoothing is None:
            return None
        if not isinstance(pool, Listed):
            return pool.best(self._learner.weights(), threads=self._context.threads).statistics
        # Lists of a decoder are best first.
        offsets, rows = pool.candidates.offsets, pool.candidates.statistics
        return None if rows is None else rows[offsets[:-1][np.diff(offsets) > 0]]

    def _learn(self, pool: Pool, sentences: NDArray[np.uint32], seed: int) -> Learnt:
        objective = None
        if len(pool):
            try:
                objective = self._step.parts.loss.prepare(pool, self._context.metric, seed)
            except NothingToLearnError:
                objective = None
        try:
            return self._learner.learn(Batch(objective, sentences, self.columns))
        except TunesmithError:
            raise
        except ValueError as error:
            pool.check(self._context.metric)  # reports errors in the translations
            raise FormatError(f"no update could be made: {error}; the best weights so far are kept") from None

    @staticmethod
    def _counted(
        chosen: NDArray[np.float64] | None, sentences: int, learnt: Learnt
    ) -> Iterator[tuple[str, float]]:
        yield "loss", learnt.loss
        yield "updates", float(learnt.updates)
        yield "sentences", float(sentences)
        if chosen is not None:
            words, reference_words = chosen[:, :2].sum(axis=0).tolist()
            yield "words", float(words)
            yield "reference words", float(reference_words)

    @property
    def unit(self) -> str:
        """Progress unit with the current loss."""
        loss = self._sums["loss"] / max(self._sums["sentences"], 1.0)
        said = f"batches, loss {loss:.4g}"
        if self._sums["reference words"]:
            said += f", length {self._sums['words'] / self._sums['reference words']:.3f}"
        return said

    def state(self, epoch: int, batches: int, *, ended: bool = False) -> OptimizerState:
        """Return the learner's state and the place in the epoch.

        After the last batch the decoder has all weights.
        """
        found = self._learner.state()
        numbers = {
            **found.numbers,
            **self._sums,
            **self._largest,
            _EPOCH: float(epoch),
            _BATCHES: float(batches),
            _ENDED: float(ended),
        }
        waiting = {} if ended else self._decoder.arrays()
        by_feature = (*found.by_feature, *([DELAYED] if DELAYED in waiting else []))
        return replace(found, numbers=numbers, arrays={**found.arrays, **waiting}, by_feature=by_feature)


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
