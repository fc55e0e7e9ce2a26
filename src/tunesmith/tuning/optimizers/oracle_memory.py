"""Storage of the best translations of each sentence so far, with their features (Watanabe et al. 2007)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import FormatError
from tunesmith.tuning.losses.documents import Documents, numbers_of
from tunesmith.tuning.optimizers.base import Floats

_PARTS = ("sentences", "sizes", "ids", "values", "statistics", "chosen", "totals")
_NAMES = {each: f"oracle {each}" for each in _PARTS}


@dataclass(frozen=True, eq=False)
class Oracle:
    """A translation: its features that are not 0, numbers ascending, and its statistics."""

    ids: NDArray[np.uint32]
    values: Floats
    statistics: Floats

    @cached_property
    def features(self) -> bytes:
        """Key that is equal for translations that no weights can distinguish."""
        return self.ids.tobytes() + self.values.tobytes()

    @cached_property
    def key(self) -> bytes:
        """Key that is equal for translations with equal features and statistics."""
        return self.statistics.tobytes() + self.features


class OracleMemory:
    """Oracles by sentence, best first, and the documents that the best ones make up.

    chosen: a row of statistics for each sentence, of its best oracle; initially of the translation under the start
        weights, so that first gains are meaningful.
    document: lines of a document, or the documents, None for a single one.
    """

    def __init__(self, chosen: Floats, document: int | Documents | None) -> None:
        self.chosen = np.array(chosen, dtype=np.float64)
        self._of = numbers_of(document, len(self.chosen))
        self._totals = np.zeros((int(self._of.max(initial=0)) + 1, self.chosen.shape[1]))
        np.add.at(self._totals, self._of, self.chosen)
        self._oracles: dict[int, list[Oracle]] = {}

    def of(self, sentence: int) -> Sequence[Oracle]:
        return self._oracles.get(sentence, ())

    def rest(self, sentence: int) -> Floats:
        """Return the sum over the other sentences of the document."""
        found: Floats = self._totals[self._of[sentence]] - self.chosen[sentence]
        return found

    def keep(self, sentence: int, oracles: Sequence[Oracle]) -> None:
        """Replace the oracles of a sentence; the first one is part of the document."""
        self._oracles[sentence] = list(oracles)
        self._totals[self._of[sentence]] += oracles[0].statistics - self.chosen[sentence]
        self.chosen[sentence] = oracles[0].statistics

    def arrays(self) -> dict[str, Floats]:
        """Return everything as numbers for a checkpoint."""
        every = [(sentence, each) for sentence in sorted(self._oracles) for each in self._oracles[sentence]]
        found = {
            "sentences": [np.array([float(sentence) for sentence, _ in every])],
            "sizes": [np.array([float(len(each.ids)) for _, each in every])],
            "ids": [each.ids.astype(np.float64) for _, each in every],
            "values": [each.values for _, each in every],
            "statistics": [each.statistics for _, each in every],
            "chosen": [self.chosen.reshape(-1)],
            "totals": [self._totals.reshape(-1)],
        }
        return {_NAMES[key]: np.concatenate([np.empty(0), *parts]) for key, parts in found.items()}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, Floats], width: int, document: int | Documents | None
    ) -> OracleMemory:
        """Restore from `arrays`; FormatError if the arrays do not fit together."""
        try:
            sentences, sizes, ids, values, statistics, chosen, totals = (arrays[name] for name in _NAMES.values())
            ends = np.cumsum(sizes.astype(np.int64))
            found = cls(chosen.reshape(-1, width), document)
            found._totals = totals.reshape(found._totals.shape).copy()
            each = zip(
                sentences.astype(np.int64).tolist(),
                np.split(ids.astype(np.uint32), ends[:-1]),
                np.split(values, ends[:-1]),
                statistics.reshape(len(sizes), width),
                strict=True,
            )
            for sentence, numbers, entries, row in each:
                if not 0 <= sentence < len(found.chosen) or len(numbers) != len(entries):
                    raise ValueError
                found._oracles.setdefault(sentence, []).append(Oracle(numbers, entries, row.copy()))
        except (KeyError, ValueError):
            raise FormatError("the oracles of the run do not fit together") from None
        return found
