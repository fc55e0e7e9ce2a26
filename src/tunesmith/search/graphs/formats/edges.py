"""Edges of a graph one by one, for writers of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from tunesmith.search.graphs.graph import SearchGraph


class Edge(NamedTuple):
    """An edge.   symbols: words, and slots: -1 - i stands for tail i.   features: numbers and values."""

    node: int
    tails: list[int]
    symbols: list[int]
    features: list[tuple[int, np.float32]]


def edges_of(graph: SearchGraph) -> Iterator[Edge]:
    """Yield the edges in order, grouped by node."""
    core = graph.core
    dense_ids = core.dense_ids.tolist()
    dense = core.dense.reshape(graph.edges, len(dense_ids))
    offsets, bounds, tail_bounds = (
        each.tolist() for each in (core.sparse_offsets, core.symbol_offsets, core.tail_offsets)
    )
    node_edges = core.node_edges.tolist()
    for node in range(graph.nodes):
        for edge in range(node_edges[node], node_edges[node + 1]):
            features = list(zip(dense_ids, dense[edge], strict=True))
            if len(offsets) > 1:
                part = slice(offsets[edge], offsets[edge + 1])
                features += zip(core.sparse_ids[part].tolist(), core.sparse_values[part], strict=True)
            yield Edge(
                node,
                core.tails[tail_bounds[edge] : tail_bounds[edge + 1]].tolist(),
                core.symbols[bounds[edge] : bounds[edge + 1]].tolist(),
                features,
            )
