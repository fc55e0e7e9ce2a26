"""Derivations of search graphs, and data derived from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.search.lazy import LazySequence

Floats = NDArray[np.float64]
Numbers = NDArray[np.uint32]
Value = TypeVar("Value", np.uint32, np.float64)
WordOf = Callable[[int], str]
"""The text of a word of a graph; `SearchGraph.word_of` makes one."""


@dataclass(frozen=True)
class Rows(Generic[Value]):
    """Sparse rows, one per derivation: row i has `ids[offsets[i]:offsets[i + 1]]`, rising, and their values."""

    offsets: NDArray[np.uint64]
    ids: Numbers
    values: NDArray[Value]

    def row(self, i: int) -> dict[int, float]:
        """Return one row as a dictionary, for inspection."""
        part = slice(int(self.offsets[i]), int(self.offsets[i + 1]))
        return dict(zip(self.ids[part].tolist(), self.values[part].tolist(), strict=True))


@dataclass(frozen=True)
class Derivation:
    """One derivation.

    edges: in pre-order, an edge before the derivations of its tails.   words: numbers; see `SearchGraph.word_of`.
    """

    score: float
    edges: Numbers
    words: NDArray[np.int32]

    def text(self, word_of: WordOf) -> str:
        return " ".join(word_of(word) for word in self.words.tolist())


class DerivationList(LazySequence[Derivation]):
    """Derivations of one graph, best first.

    cut: the search stopped at its bound (`max_skipped`, `beam`), so derivations may be missing.
    """

    def __init__(self, graph: _core.Hypergraph, core: _core.Derivations) -> None:
        self._graph, self.core, self.cut = graph, core, core.cut

    def __len__(self) -> int:
        return len(self.core)

    def _item(self, at: int) -> Derivation:
        core = self.core
        edges = core.edges[int(core.edge_offsets[at]) : int(core.edge_offsets[at + 1])]
        words = core.words[int(core.word_offsets[at]) : int(core.word_offsets[at + 1])]
        return Derivation(float(core.scores[at]), edges, words)

    @property
    def scores(self) -> Floats:
        return self.core.scores

    def application_counts(self) -> Rows[np.uint32]:
        """Count uses of each application of the graph (D_x)."""
        return Rows(*self._graph.application_counts(self.core))

    def rule_counts(self) -> Rows[np.uint32]:
        """Count uses of each rule (D)."""
        return Rows(*self._graph.rule_counts(self.core))

    def dense_sums(self) -> Floats:
        """Return sums of the stateful dense block, derivations × `dense_ids`."""
        return self._graph.dense_sums(self.core).reshape(len(self), len(self._graph.dense_ids))

    def sparse_sums(self) -> Rows[np.float64]:
        """Return sums of the stateful sparse features."""
        return Rows(*self._graph.sparse_sums(self.core))

    def positions(self, i: int) -> Numbers:
        """Return for each symbol of each edge of derivation i its position in the sentence (of a slot: its begin).

        With the links inside rules this gives the word alignment.
        """
        return self._graph.symbol_positions(self[i].edges)
