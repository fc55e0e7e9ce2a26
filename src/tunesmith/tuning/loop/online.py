"""Online tuning: epochs of batches, each decoded with the weights of its moment."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from tunesmith.checks import at_least, one_of
from tunesmith.errors import ConfigError
from tunesmith.tuning import compat
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.epoch import OTHER, Epoch, Schedule
from tunesmith.tuning.loop.parts import Parts
from tunesmith.tuning.loop.plan import Plan, Planner, Sources, Step, check_rounds
from tunesmith.tuning.loop.state import State
from tunesmith.tuning.loop.steps import DataStep, Decode, Measure
from tunesmith.tuning.optimizers.online import OnlineOptimizer
from tunesmith.tuning.pools.base import Divisible
from tunesmith.tuning.sources.base import WholeText

Kept = Literal["last", "average"]
Averaged = Literal["epoch", "run"]


@dataclass(frozen=True)
class OnlineRounds(Planner):
    """Epochs: all sentences once, in batches, in a seeded order; then dev is decoded and measured.

        round 0      decode, measure                           the start weights
        round 1, …   epoch, compare, decode, measure           an epoch is a round

    With training data weights are learnt on it and dev chooses the epoch, so that it is not chosen by the data it
    was learnt from (as Green et al. 2014 do).

    rounds: epochs.   batch: sentences that are decoded with the same weights, spread over the threads.
    delay: batch t is decoded with the weights after batch t - delay - 1 of its epoch, so that none waits for the
        one before (τ).
    shards: number of learners that sentences are dealt to, sentence i to learner i mod shards; all begin an epoch
        with the mean of their weights (iterative parameter mixing, McDonald et al. 2010). They are part of the
        data: the number of threads does not matter.
    shuffle: batches are in another order in each epoch.
    keep: which weights of an epoch count, the `last` or the `average`; the others are measured too.
    average: over the steps of the `epoch`, or of the `run` so far.
    """

    rounds: int = 25
    interpolation = 1.0
    batch: int = 20
    delay: int = 0
    shards: int = 1
    shuffle: bool = True
    keep: Kept = "last"
    average: Averaged = "epoch"

    def __post_init__(self) -> None:
        check_rounds(self.rounds, self.interpolation)
        at_least(1, batch=self.batch, shards=self.shards)
        at_least(0, delay=self.delay)
        one_of(("last", "average"), keep=self.keep)
        one_of(("epoch", "run"), average=self.average)

    @property
    def schedule(self) -> Schedule:
        return Schedule(self.batch, self.delay, self.shards, self.shuffle, self.keep, self.average)

    def check(self, parts: Parts, sources: Sources) -> None:
        """Check that the optimizer learns batch by batch, from sentences that can be had one by one."""
        if not isinstance(parts.optimizer, OnlineOptimizer):
            raise ConfigError(
                f"{type(parts.optimizer).__name__} needs all data at once and cannot learn online. Use AdaGrad, "
                "OnlinePassiveAggressive or LargeMargin, or the plan BatchRounds."
            )
        name = self._learnt_from(sources)
        source = sources[name]
        compat.check_pool(parts.loss, source.pool)
        if isinstance(source, WholeText) and source.whole_text:
            raise ConfigError(
                "a decoder command decodes its whole text at once, and online recipes a few sentences at a time: "
                "--decoder-server takes one that gets a line at a time; mira and pro take the command as it is"
            )
        if source.fixed:
            compat.check_capability("OnlineRounds", Divisible, source.pool)
        if source.sentences < self.shards:
            raise ConfigError(f"{source.sentences} sentences cannot be dealt to {self.shards} shards; take fewer")

    def plan(self, parts: Parts, sources: Sources) -> Plan:
        epoch = Epoch(self._learnt_from(sources), parts=parts, schedule=self.schedule)
        look = (Decode(), MeasureKept(keep=self.keep))
        opening: tuple[Step, ...] = (Decode(), Measure())
        if isinstance(parts.optimizer, OnlineOptimizer) and parts.optimizer.first_pass and epoch.source != "dev":
            opening = (Decode(epoch.source), *opening)
        return Plan(opening, (epoch, Compare(keep=self.keep), *look), self.rounds)

    def settings(self, sources: Sources) -> dict[str, Any]:
        """Return the number of epochs; fixed lists are gone through as often."""
        return {"interpolation": self.interpolation, "rounds": self.rounds}

    @staticmethod
    def _learnt_from(sources: Sources) -> str:
        return "train" if "train" in sources else "dev"


@dataclass(frozen=True)
class Compare(DataStep):
    """The score of those weights of an epoch that are not kept, in the details of its row."""

    verb = "compare"
    keep: Kept = "last"

    def run(self, state: State, context: Context) -> State:
        """Decode with them; nothing of it is kept but the score."""
        other: Kept = "average" if self.keep == "last" else "last"
        weights = state.arrays[OTHER]
        arrays = {name: each for name, each in state.arrays.items() if name != OTHER}
        state = replace(state, arrays=arrays)
        if np.array_equal(weights, state.weights):
            return state
        pool = context.fetch(self.source, weights, state.round)
        score = pool.best(weights, threads=context.threads).score(context.metric)
        return replace(state, details={**state.details, f"score {other}": score}).grown(pool.columns)


@dataclass(frozen=True)
class MeasureKept(Measure):
    """The score of the weights that are kept, in the row and by their name in its details."""

    keep: Kept = "last"

    def run(self, state: State, context: Context) -> State:
        state = super().run(state, context)
        score = state.numbers["score"]
        both = {"score last": score, "score average": score}  # where the other weights are the same
        return replace(state, details={**both, **state.details, f"score {self.keep}": score})
