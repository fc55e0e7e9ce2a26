"""Drawing search graphs in the language of Graphviz."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from tunesmith.search.graphs.derivations import Floats, WordOf

if TYPE_CHECKING:
    from tunesmith.search.graphs.graph import SearchGraph

_BEST = "color=firebrick, penwidth=2"


def dot_lines(graph: SearchGraph, word_of: WordOf, scores: Floats | None) -> Iterator[str]:
    """Draw a graph: lattices from left to right, forests from the bottom.

    With scores the best derivation is marked.

    In a forest an edge is a box with its target side, in which slots are numbers in brackets.
    """
    yield "digraph search {"
    yield f"  rankdir={'LR' if graph.is_lattice else 'BT'}; node [fontsize=10]; edge [fontsize=10];"
    best = None if scores is None else graph.best(scores)
    marked = set() if best is None else set(best.edges.tolist())
    core = graph.core
    node_edges, tails = core.node_edges.tolist(), core.tails.tolist()
    offsets, tail_offsets = core.symbol_offsets.tolist(), core.tail_offsets.tolist()
    for node in range(graph.nodes):
        yield f"  n{node} [shape={'doublecircle' if node == graph.nodes - 1 else 'circle'}, label={node}];"
        for edge in range(node_edges[node], node_edges[node + 1]):
            symbols = core.symbols[offsets[edge] : offsets[edge + 1]].tolist()
            label = _label(symbols, word_of, None if scores is None else float(scores[edge]), graph.is_lattice)
            style = f", {_BEST}" if edge in marked else ""
            own = tails[tail_offsets[edge] : tail_offsets[edge + 1]]
            if not graph.is_lattice:
                yield f'  e{edge} [shape=box, label="{label}"{style}];'
                yield f"  e{edge} -> n{node};"
                for slot, tail in enumerate(own, 1):
                    yield f'  n{tail} -> e{edge} [label="{slot}"];'
                continue
            if not own:
                yield f"  s{edge} [shape=point];"
            yield f'  {f"n{own[0]}" if own else f"s{edge}"} -> n{node} [label="{label}"{style}];'
    yield "}"


def _label(symbols: list[int], word_of: WordOf, score: float | None, lattice: bool) -> str:
    shown = [word_of(s) if s >= 0 else f"[{-s}]" for s in symbols if s >= 0 or not lattice]
    text = " ".join(shown) + ("" if score is None else f"\n{score:.4g}")
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
