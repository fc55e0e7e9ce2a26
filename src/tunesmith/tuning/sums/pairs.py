"""Ranked pairs as sparse differences: sums over pairs for learners that look at margins."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.execution import Packet
from tunesmith.tuning.losses.differences import Differences
from tunesmith.tuning.sums.terms import Answer, Asked, Floats, Part, Terms


class Arrays(NamedTuple):
    """Differences of pairs (cpp/tuning/online/differences.hpp)."""

    offsets: NDArray[np.int64]
    ids: NDArray[np.uint32]
    values: NDArray[np.float32]
    dense: Floats


class PairTerms(Terms):
    """Pairs. Columns are the penalised features that occur in a pair, then those without penalty."""

    kind = "differences"

    def __init__(self, arrays: Arrays, penalised: int, native: _core.Differences | None = None) -> None:
        self.arrays, self.penalised = arrays, penalised
        self.native = native or _core.Differences(*arrays, penalised)
        self.columns = penalised + self.native.dense_columns

    @classmethod
    def of(cls, differences: Differences) -> PairTerms:
        """Return all pairs."""
        arrays = Arrays(differences.offsets, differences.ids, differences.values, differences.dense)
        return cls(arrays, len(differences.penalised), differences.native)

    def __len__(self) -> int:
        return len(self.native)

    @property
    def a_block(self) -> int:
        return _core.pairs_a_block(len(self))

    def answer(self, asked: Asked, a_block: int, threads: int) -> Answer:
        return sums[asked.what](self, asked, a_block, threads)

    def divided(self, vector: Floats) -> tuple[Floats, Floats]:
        """Return the penalised and the other part of a vector over the columns."""
        return np.ascontiguousarray(vector[: self.penalised]), np.ascontiguousarray(vector[self.penalised :])

    def margins(self, vector: Floats, threads: int) -> Floats:
        return self.native.margins(*self.divided(vector), threads)

    def combine(self, coefficients: Floats, a_block: int, threads: int) -> Floats:
        """Return Σ coefficient · difference over the columns."""
        return np.concatenate(self.native.combine(coefficients, a_block, threads))

    def part(self, begin: int, end: int) -> Part:
        arrays = self.some(begin, end)
        columns, ids = np.unique(arrays.ids, return_inverse=True)
        arrays = arrays._replace(ids=ids.reshape(-1).astype(np.uint32))
        beyond = np.arange(self.penalised, self.columns)
        packet = Packet({"kind": self.kind, "penalised": len(columns)}, arrays._asdict())
        return Part(np.concatenate([columns.astype(np.int64), beyond]), packet)

    def some(self, begin: int, end: int) -> Arrays:
        """Return the pairs from `begin` to `end`, in the same memory."""
        offsets, ids, values, dense = self.arrays
        first, last = offsets[[begin, end]].tolist()
        return Arrays(offsets[begin : end + 1] - first, ids[first:last], values[first:last], dense[begin:end])

    @classmethod
    def of_part(cls, packet: Packet) -> PairTerms:
        return cls(Arrays(*(packet.arrays[name] for name in Arrays._fields)), packet.values["penalised"])


Sum = Callable[[PairTerms, Asked, int, int], Answer]
sums: dict[str, Sum] = {}
"""What pairs can be asked, by name."""


def sum_over_pairs(name: str) -> Callable[[Sum], Sum]:
    """Register a sum."""

    def register(found: Sum) -> Sum:
        sums[name] = found
        return found

    return register


@sum_over_pairs("rounded hinge")
def rounded_hinge(pairs: PairTerms, asked: Asked, a_block: int, threads: int) -> Answer:
    """Return the hinge loss with its corner rounded over `width` and the hinge loss; the gradient of the first."""
    width = asked.numbers["width"]
    short = np.maximum(0.0, 1.0 - pairs.margins(asked.vectors["w"], threads))
    bent = np.minimum(short, width)
    slopes = bent / width
    values = [_core.add_numbers_in_tree(each, a_block) for each in (slopes * (short - bent / 2), short)]
    gradient = 0.0 - pairs.combine(slopes, a_block, threads)  # where it is 0 it has no sign, as in sums of parts
    return Answer(np.array(values), gradient)


@sum_over_pairs("dual point")
def dual_point(pairs: PairTerms, asked: Asked, a_block: int, threads: int) -> Answer:
    """Return slopes α of the rounded hinge at `w`, their sum; Σ α · difference.

    With the vector `shift` every slope between 0 and 1 is less by its product with the dense row. After the sum of
    the slopes come, where `products` is asked for, the sums of the products of dense values of those pairs.
    """
    slopes = np.clip((1.0 - pairs.margins(asked.vectors["w"], threads)) / asked.numbers["width"], 0.0, 1.0)
    between = (slopes > 0) & (slopes < 1)
    if "shift" in asked.vectors:
        moved = pairs.margins(asked.vectors["shift"], threads)
        slopes = np.where(between, np.clip(slopes - moved, 0.0, 1.0), slopes)
    numbers = [_core.add_numbers_in_tree(slopes, a_block)]
    if asked.numbers.get("products"):
        numbers += pairs.native.dense_products(between.astype(np.float64), a_block, threads).tolist()
    return Answer(np.array(numbers), pairs.combine(slopes, a_block, threads))
