"""Derivations of graphs that an optimizer met: what a pool of graphs keeps for later rounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import FormatError

Floats = NDArray[np.float64]


@dataclass(eq=False)
class Visited:
    """Edges of derivations in pre-order, by sentence; each once, in the order in which they were met."""

    by_sentence: dict[int, dict[bytes, NDArray[np.uint32]]] = field(default_factory=dict)

    def add(self, derivations: Iterable[tuple[int, NDArray[np.uint32]]]) -> None:
        for sentence, edges in derivations:
            self.by_sentence.setdefault(sentence, {}).setdefault(edges.tobytes(), edges)

    def add_arrays(
        self, sentences: NDArray[np.int64], offsets: NDArray[np.uint64], edges: NDArray[np.uint32]
    ) -> None:
        """Add derivations as the core gives them."""
        self.add(
            (int(sentence), edges[int(offsets[at]) : int(offsets[at + 1])])
            for at, sentence in enumerate(sentences)
        )

    def add_all(self, others: Visited) -> None:
        for sentence, derivations in others.by_sentence.items():
            self.add((sentence, edges) for edges in derivations.values())

    def __len__(self) -> int:
        return sum(map(len, self.by_sentence.values()))

    def of(self, sentence: int) -> tuple[NDArray[np.uint64], NDArray[np.uint32]]:
        """Return offsets and edges of a sentence's derivations."""
        found = list(self.by_sentence.get(sentence, {}).values())
        offsets = np.zeros(len(found) + 1, np.uint64)
        np.cumsum([len(edges) for edges in found], out=offsets[1:])
        return offsets, np.concatenate([*found, np.empty(0, np.uint32)]).astype(np.uint32)

    def to_array(self) -> Floats:
        """Return numbers for a checkpoint: for each derivation its sentence, number of edges, and edges."""
        rows = [
            np.concatenate([[sentence, len(edges)], edges])
            for sentence in sorted(self.by_sentence)
            for edges in self.by_sentence[sentence].values()
        ]
        return np.concatenate([*rows, np.empty(0)])

    @classmethod
    def from_array(cls, numbers: Floats) -> Visited:
        """Read what `to_array` gave; FormatError for anything else."""
        found, at = cls(), 0
        whole = numbers.astype(np.int64)
        if np.any(whole != numbers) or np.any(whole < 0) or np.any(whole >= 2**32):
            raise FormatError("the derivations that the run keeps are damaged")
        while at < len(whole):
            size = int(whole[at + 1]) if at + 1 < len(whole) else len(whole)
            edges = whole[at + 2 : at + 2 + size].astype(np.uint32)
            if len(edges) != size:
                raise FormatError("the derivations that the run keeps are damaged")
            found.add([(int(whole[at]), edges)])
            at += 2 + size
        return found
