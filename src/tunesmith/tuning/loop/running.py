"""A pass over a shard in progress: each batch is decoded and followed by an update."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import FormatError, TunesmithError
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.growth import grown
from tunesmith.tuning.loop.batches import DELAYED, BatchDecoder
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.loop.parts import Parts
from tunesmith.tuning.losses.base import NothingToLearnError
from tunesmith.tuning.optimizers.base import OptimizerState
from tunesmith.tuning.optimizers.online import Batch, Learnt, OnlineLearner
from tunesmith.tuning.pools.base import Floats, Listed, Pool

EPOCH, BATCHES, ENDED = "epoch", "batches", "ended"
SUMS = ("loss", "updates", "sentences", "words", "reference words")
LARGEST = "largest "
"""Begins the names of numbers that are the largest of a detail in the updates of an epoch."""


class Learning(Protocol):
    """The step that the pass is of."""

    @property
    def source(self) -> str: ...
    @property
    def parts(self) -> Parts: ...
    def limits(self, context: Context, weights: Floats) -> Limits: ...


class Running:
    """A shard in progress.   within: it resumes the epoch that its state was saved in."""

    def __init__(
        self,
        step: Learning,
        context: Context,
        decoder: BatchDecoder,
        learner: OnlineLearner,
        kept: OptimizerState,
        *,
        within: bool,
    ) -> None:
        self._step, self._context, self._decoder, self._learner = step, context, decoder, learner
        self.columns = len(kept.weights)
        self.done = int(kept.numbers.get(BATCHES, 0)) if within else 0
        self._sums = {key: kept.numbers.get(key, 0.0) if within else 0.0 for key in SUMS}
        self._largest = {key: value for key, value in kept.numbers.items() if within and key.startswith(LARGEST)}
        self._fixed = context.sources[step.source].fixed

    def batch(self, sentences: NDArray[np.uint32], seed: int, following: NDArray[np.uint32] | None) -> None:
        """Decode, update, and pass the changes to the decoder.   following: the next batch, None at the end."""
        pool = self._decoder.decode(sentences, following)
        if pool.columns > self.columns:
            self.columns = pool.columns
            weights = grown(self._learner.weights(), self.columns)
            self._learner.grow(self.columns, self._step.limits(self._context, weights))
        chosen = self._chosen(pool)
        learnt = self._learn(pool, sentences, seed)
        if not self._fixed:
            self._decoder.changed(self._learner.changed())
        for key, value in self._counted(chosen, len(sentences), learnt):
            self._sums[key] += value
        for key, value in learnt.details.items():
            self._largest[LARGEST + key] = max(value, self._largest.get(LARGEST + key, value))

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
            EPOCH: float(epoch),
            BATCHES: float(batches),
            ENDED: float(ended),
        }
        waiting = {} if ended else self._decoder.arrays()
        by_feature = (*found.by_feature, *([DELAYED] if DELAYED in waiting else []))
        return replace(found, numbers=numbers, arrays={**found.arrays, **waiting}, by_feature=by_feature)
