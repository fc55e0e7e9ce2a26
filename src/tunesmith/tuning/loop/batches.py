"""Decoding in small batches, with weights that change slightly between batches."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from tunesmith.tuning.growth import grown
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.optimizers.online import Change
from tunesmith.tuning.pools.base import Floats, Pool
from tunesmith.tuning.sources.base import ChangingSource

DELAYED = "delayed weights"


class BatchDecoder:
    """Decoder of batches of a source, each with the weights after the previous or an earlier batch.

    delay: batch t is decoded with the weights after batch t - delay - 1, without waiting for the previous batch.
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
        self._change: Change | None = None
        """Changes not yet passed to the decoder; None before it has all weights."""

    def decode(self, sentences: NDArray[np.uint32]) -> Pool:
        """Decode these sentences."""
        there = np.sort(sentences).tolist()
        given: Floats | Change = self._weights
        if self._change is not None:
            given = self._change
        found = self._context.batch(self._source, given, there)
        if self._takes_changes:
            self._change = (np.empty(0, np.uint32), np.empty(0))
        return found

    def changed(self, change: Change) -> None:
        """Use these weights from the next batch on, or after `delay` more batches."""
        self._waiting.append(change)
        if len(self._waiting) <= self._delay:
            return
        ids, values = self._waiting.popleft()
        if self._change is not None:
            self._change = (ids, values)
        if len(ids) and (self._delay or self._change is None):  # otherwise only the decoder has all weights
            self._weights = grown(self._weights, int(ids.max()) + 1)
            self._weights[ids] = values

    def arrays(self) -> dict[str, Floats]:
        """Return arrays to save; none if weights are used at once."""
        if not self._delay:
            return {}
        waiting = {f"waiting {at}": np.concatenate([*each]) for at, each in enumerate(self._waiting)}
        return {DELAYED: self._weights.copy(), **waiting}
