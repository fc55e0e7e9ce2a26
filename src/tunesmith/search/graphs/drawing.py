"""A search graph as a picture, in the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tunesmith.search.graphs.derivations import Floats, WordOf

if TYPE_CHECKING:
    from tunesmith.search.graphs.graph import SearchGraph


def dot_lines(graph: SearchGraph, word_of: WordOf, scores: Floats | None) -> Iterator[str]:
    """Nodes are circles, edges boxes with their target side; slots are numbers in brackets."""
    yield "digraph search {"
    yield "  rankdir=BT; node [fontsize=10];"
    core = graph.core
    node_edges = core.node_edges.tolist()
    offsets, symbols = core.symbol_offsets.tolist(), core.symbols.tolist()
    tail_offsets, tails = core.tail_offsets.tolist(), core.tails.tolist()
    for node in range(graph.nodes):
        yield f"  n{node} [shape={'doublecircle' if node == graph.nodes - 1 else 'circle'}, label={node}];"
        for edge in range(node_edges[node], node_edges[node + 1]):
            side = " ".join(
                word_of(s) if s >= 0 else f"[{-s}]" for s in symbols[offsets[edge] : offsets[edge + 1]]
            )
            score = "" if scores is None else f"\n{scores[edge]:.4g}"
            label = (side + score).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
            yield f'  e{edge} [shape=box, label="{label}"];'
            yield f"  e{edge} -> n{node};"
            for slot, tail in enumerate(tails[tail_offsets[edge] : tail_offsets[edge + 1]], 1):
                yield f'  n{tail} -> e{edge} [label="{slot}"];'
    yield "}"
