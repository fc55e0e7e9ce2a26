"""Files of search graphs, and what is computed on them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from fuzz.kind import Files, Kind
from fuzz.memory import scratch
from fuzz.reseal import reseal_graph_files
from tunesmith.search import GraphSet, SearchGraph, write_graphs


@cache
def _written() -> bytes:
    graph = SearchGraph.from_arrays(
        node_edges=[0, 2, 4], tail_offsets=[0, 0, 0, 1, 2], tails=[0, 0], symbol_offsets=[0, 1, 2, 4, 6],
        symbols=[3, 4, -1, 2, 1, -1], edge_application=[0, 0, 1, 1], application_rules=[0, 1],
        application_begins=[0, 0], application_ends=[1, 2], dense_ids=[3, 1],
        dense=[0.5, 1, 0, 2, 1, 1, 0.25, 3], sparse_offsets=[0, 1, 1, 2, 2], sparse_ids=[4, 6],
        sparse_values=[1, -2], vocabulary=5,
    )  # fmt: skip
    with scratch("tunesmith-seed-") as name:
        path = Path(name) / "graphs"
        with write_graphs(path, {"features": ["lm", "x"]}) as writer:
            writer.add(graph)
            writer.add(graph)
        return path.read_bytes()


def _read(folder: Path) -> None:
    with GraphSet(folder / "input") as graphs:
        for graph in graphs:
            scores = np.zeros(graph.edges)
            graph.best(scores)
            graph.posteriors(scores)
            graph.prune(scores, 1.0)


def _lists(folder: Path) -> None:
    with GraphSet(folder / "input") as graphs:
        for graph in graphs:
            graph.k_best(np.zeros(graph.edges), 3)


def _seeds() -> list[Files]:
    return [{"input": _written()}]


def kinds() -> list[Kind]:
    return [
        Kind("graphs", _seeds, _read, reseal=reseal_graph_files),
        Kind("graphs-lists", _seeds, _lists, reseal=reseal_graph_files),
    ]
