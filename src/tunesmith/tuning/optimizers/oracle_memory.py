"""The best translations that were ever seen of each sentence, with their features (Watanabe et al. 2007)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

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

    @property
    def features(self) -> bytes:
        """The same for translations that no weights can tell apart."""
        return self.ids.tobytes() + self.values.tobytes()

    @property
    def key(self) -> bytes:
        """The same for translations that nothing can tell apart."""
        return self.statistics.tobytes() + self.features


class OracleMemory:
    """Oracles by sentence, best first, and the documents that the best ones make up.

    chosen: a row of statistics for each sentence, those of its best oracle; before there is any, of what the start
    weights chose, so that the first gains mean something.   document: lines of a document, or the documents, None
    for one of all.
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
        """The sum over the other sentences of the document."""
        found: Floats = self._totals[self._of[sentence]] - self.chosen[sentence]
        return found

    def keep(self, sentence: int, oracles: Sequence[Oracle]) -> None:
        """Take these in place of those there are; the first one is part of the document."""
        self._oracles[sentence] = list(oracles)
        self._totals[self._of[sentence]] += oracles[0].statistics - self.chosen[sentence]
        self.chosen[sentence] = oracles[0].statistics

    def arrays(self) -> dict[str, Floats]:
        """All of it as numbers that a checkpoint can keep."""
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
        """Read back what `arrays` gave; FormatError where it does not fit together."""
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
