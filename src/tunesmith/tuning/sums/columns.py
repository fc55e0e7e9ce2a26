"""Ranked pairs as differences by column: sums over pairs for fits that go over them many times."""

from __future__ import annotations

import copy
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.execution import Packet
from tunesmith.tuning.sums.terms import Answer, Asked, Floats, Integers, Part, Terms


class Arrays(NamedTuple):
    """Differences of pairs by column (cpp/tuning/losses/pair_columns.hpp)."""

    pair_bounds: Integers
    column_bounds: Integers
    columns: NDArray[np.uint32]
    entry_bounds: Integers
    pairs: NDArray[np.uint16] | NDArray[np.uint32]
    whole: NDArray[np.uint8]
    counts: NDArray[np.int8]
    value_bounds: Integers
    values: NDArray[np.float32]


class ColumnTerms(Terms):
    """Losses of pairs by column, each as often as its weight says; a term is a block of sentences."""

    kind = "pairs by column"

    def __init__(self, arrays: Arrays, weights: Floats, classifier: str, smoothing: float) -> None:
        self.arrays, self.columns = arrays, len(arrays.whole)
        self._settings = {"classifier": classifier, "smoothing": smoothing}
        self._loss = (getattr(_core.PairLossKind, classifier), smoothing)
        self._weights = weights
        self._native = _core.PairColumns(*arrays)

    def __len__(self) -> int:
        return len(self.arrays.pair_bounds) - 1

    @property
    def a_block(self) -> int:
        return 1

    def weighed(self, weights: Floats) -> ColumnTerms:
        """Return the same pairs with other weights; pairs of weight 0 are left out."""
        found = copy.copy(self)
        found._weights = weights
        return found

    def answer(self, asked: Asked, a_block: int, threads: int) -> Answer:
        w = np.ascontiguousarray(asked.vectors["w"])
        value, gradient = self._native.sums(self._weights, *self._loss, w, threads)
        return Answer(np.array([value]), gradient)

    def squares(self, threads: int) -> Floats:
        """Return the sum of the squares of each column, each pair as often as it counts."""
        return self._native.squares(self._weights, threads)

    def part(self, begin: int, end: int) -> Part:
        arrays = self.arrays
        first_pair, last_pair = arrays.pair_bounds[[begin, end]].tolist()
        first, last = arrays.column_bounds[[begin, end]].tolist()
        at = slice(*arrays.entry_bounds[[first, last]].tolist())
        values = slice(*arrays.value_bounds[[begin, end]].tolist())
        columns, places = np.unique(arrays.columns[first:last], return_inverse=True)
        cut: dict[str, NDArray[Any]] = Arrays(
            arrays.pair_bounds[begin : end + 1] - first_pair,
            arrays.column_bounds[begin : end + 1] - first,
            places.reshape(-1).astype(np.uint32),
            arrays.entry_bounds[first : last + 1] - at.start,
            arrays.pairs[at],
            arrays.whole[columns],
            arrays.counts[at.start - values.start : at.stop - values.stop],
            arrays.value_bounds[begin : end + 1] - values.start,
            arrays.values[values],
        )._asdict()
        cut["weights"] = self._weights[first_pair:last_pair]
        return Part(columns.astype(np.int64), Packet({"kind": self.kind} | self._settings, cut))

    @classmethod
    def of_part(cls, packet: Packet) -> ColumnTerms:
        values, arrays = packet
        found = Arrays(*(arrays[name] for name in Arrays._fields))
        return cls(found, arrays["weights"], values["classifier"], values["smoothing"])
