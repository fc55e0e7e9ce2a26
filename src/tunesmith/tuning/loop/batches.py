"""Decoding in small batches, with weights that change slightly between batches."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tunesmith.tuning.growth import grown
from tunesmith.tuning.loop.ahead import Ahead
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.optimizers.online import Change
from tunesmith.tuning.pools.base import Floats, Pool
from tunesmith.tuning.sources.base import ChangingSource, OverlappingSource

DELAYED = "delayed weights"


class BatchDecoder:
    """Decoder of batches of a source, each with the weights after the previous or an earlier batch.

    delay: batch t is decoded with the weights after batch t - delay - 1, without waiting for the previous batch:
        where the source can, another thread decodes it while this one learns from the previous batch.
    arrays: saved result of `arrays`; default: the first batch.
    """

    def __init__(
        self, context: Context, source: str, weights: Floats, delay: int, arrays: Mapping[str, Floats]
    ) -> None:
        self._context, self._source, self._delay = context, source, delay
        self._weights = grown(arrays[DELAYED], len(weights)).copy() if DELAYED in arrays else weights.copy()
        self._waiting: deque[Change] = deque()
        while (name := f"waiting {len(self._waiting)}") in arrays:
            ids, values = np.split(arrays[name], 2)
            self._waiting.append((ids.astype(np.uint32), values))
        at = context.sources[source]
        self._takes_changes = isinstance(at, ChangingSource) and at.takes_changes and not at.fixed
        self._overlaps = delay > 0 and isinstance(at, OverlappingSource) and at.overlaps and not at.fixed
        self._change: Change | None = None
        """Changes not yet passed to the decoder; None before it has all weights."""
        self._ahead: Ahead[Pool] = Ahead()

    def decode(self, sentences: NDArray[np.uint32], following: NDArray[np.uint32] | None = None) -> Pool:
        """Decode these sentences.

        following: the next batch, which must be decoded next; another thread may begin with it.
        """
        found = self._ahead.result() if self._ahead.begun else self._decoded(self._given(), sentences)
        if self._overlaps and following is not None:
            self._pass_on(self._delay - 1)  # the weights that it would get after this batch
            given = self._given()
            self._ahead.begin(lambda: self._decoded(given, following))
        return self._context.measured_batch(self._source, found)

    def changed(self, change: Change) -> None:
        """Use these weights from the next batch on, or after `delay` more batches."""
        self._waiting.append(change)
        self._pass_on(self._delay)

    def close(self) -> None:
        """Wait for a batch that another thread decodes, which is not needed any more."""
        self._ahead.close()

    def arrays(self) -> dict[str, Floats]:
        """Return arrays to save; none if weights are used at once.

        They are the same whether the next batch is being decoded or not.
        """
        if not self._delay:
            return {}
        waiting = {f"waiting {at}": np.concatenate([*each]) for at, each in enumerate(self._waiting)}
        return {DELAYED: self._weights.copy(), **waiting}

    def _pass_on(self, waiting: int) -> None:
        """Take the change that has waited longest for the next batch, if more than `waiting` of them wait."""
        if len(self._waiting) <= waiting:
            return
        ids, values = self._waiting.popleft()
        if self._change is not None:
            self._change = (ids, values)
        if len(ids) and (self._delay or self._change is None):  # otherwise only the decoder has all weights
            self._weights = grown(self._weights, int(ids.max()) + 1)
            self._weights[ids] = values

    def _given(self) -> Floats | Change:
        """Return what the next batch is decoded with: all weights, or the changes since the last batch."""
        given: Floats | Change = self._weights if self._change is None else self._change
        if self._takes_changes:
            self._change = (np.empty(0, np.uint32), np.empty(0))
        return given

    def _decoded(self, given: Floats | Change, sentences: NDArray[np.uint32]) -> Pool:
        return self._context.batch(self._source, given, np.sort(sentences).tolist())
