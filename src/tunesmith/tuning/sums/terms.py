"""Terms of a sum, sentences or pairs: they can be asked for sums, cut into parts, and sent to other processes.

Terms are added in blocks of a fixed size, and blocks in a binary tree (cpp/tuning/losses/tree_sums.hpp). A part of
2^k neighbouring blocks that begins at a multiple of 2^k gives a node of that tree, whoever adds it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import FormatError
from tunesmith.execution import Packet

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Asked(NamedTuple):
    """What is asked of terms.

    what: the name of the sum.   vectors: numbers for all columns, by name.   numbers: settings, by name.
    own: arrays that belong to the terms of one part, by name.
    """

    what: str
    vectors: Mapping[str, Floats]
    numbers: Mapping[str, float] = {}
    own: Mapping[str, NDArray[Any]] = {}

    def of_columns(self, columns: Integers) -> Asked:
        """Return the request restricted to these columns."""
        return self._replace(vectors={name: vector[columns] for name, vector in self.vectors.items()})

    def packed(self) -> Packet:
        arrays = {f"{group}/{name}": array for group, given in (("vectors", self.vectors), ("own", self.own))
                  for name, array in given.items()}  # fmt: skip
        return Packet({"what": self.what, "numbers": dict(self.numbers)}, arrays)

    @classmethod
    def unpacked(cls, packet: Packet) -> Asked:
        given: dict[str, dict[str, NDArray[Any]]] = {"vectors": {}, "own": {}}
        for name, array in packet.arrays.items():
            group, _, rest = name.partition("/")
            given[group][rest] = array
        return cls(packet.values["what"], given["vectors"], packet.values["numbers"], given["own"])


class Answer(NamedTuple):
    """Sums of terms: numbers, and a vector over the columns.   own: arrays that belong to the terms of a part."""

    numbers: Floats
    vector: Floats
    own: Mapping[str, NDArray[Any]] = {}

    def packed(self) -> Packet:
        own = {f"own/{name}": array for name, array in self.own.items()}
        return Packet(None, {"numbers": self.numbers, "vector": self.vector, **own})

    @classmethod
    def unpacked(cls, packet: Packet) -> Answer:
        try:
            own = {name[4:]: array for name, array in packet.arrays.items() if name.startswith("own/")}
            return cls(packet.arrays["numbers"], packet.arrays["vector"], own)
        except KeyError as error:
            raise FormatError(f"the answer of a worker has no {error}") from None


class Part(NamedTuple):
    """Some of the terms for another process.   columns: those of the whole that its own columns are, rising."""

    columns: Integers
    packet: Packet


_kinds: dict[str, type[Terms]] = {}


class Terms(ABC):
    """Terms of a sum.   kind: the name by which parts say what they are.   columns: length of vectors."""

    kind: ClassVar[str]
    columns: int

    def __init_subclass__(cls) -> None:
        if "kind" in vars(cls):
            _kinds[cls.kind] = cls

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of terms."""

    @property
    @abstractmethod
    def a_block(self) -> int:
        """Terms of a block, by their number."""

    @abstractmethod
    def answer(self, asked: Asked, a_block: int, threads: int) -> Answer:
        """Return sums, with blocks of this size. The same bytes for every number of threads."""

    @abstractmethod
    def part(self, begin: int, end: int) -> Part:
        """Return the terms from `begin` to `end`, which need none of the others."""

    @classmethod
    @abstractmethod
    def of_part(cls, packet: Packet) -> Terms:
        """Return terms from the packet of a part."""


def terms_of(packet: Packet) -> Terms:
    """Return terms of any kind from the packet of a part."""
    kind = packet.values["kind"]
    if kind not in _kinds:
        raise FormatError(f"unknown kind of terms: {kind!r}")
    return _kinds[kind].of_part(packet)


def nodes_of(terms: Terms, parts: int) -> list[tuple[int, int]]:
    """Return at most `parts` parts, each a node of the tree: a number of blocks that is a power of two."""
    blocks = -(-len(terms) // terms.a_block)
    size = terms.a_block
    while blocks > parts:
        size, blocks = 2 * size, -(-blocks // 2)
    return [(begin, min(begin + size, len(terms))) for begin in range(0, len(terms), size)]
