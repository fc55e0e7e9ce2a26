"""Files of search graphs, and what is computed on them."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
from support.lists.graph_texts import TEXTS

from fuzz.kind import OUT, Files, Kind
from fuzz.memory import scratch
from fuzz.reseal import reseal_graph_files
from tunesmith.errors import ConfigError, FormatError
from tunesmith.search import GraphSet, SearchGraph, write_graphs
from tunesmith.search.graphs.formats import graph_formats, read_graphs
from tunesmith.search.graphs.formats.writing import write_named_graphs


def _gzip(text: bytes) -> bytes:
    return gzip.compress(text, mtime=0)


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


def _text(name: str) -> Callable[[Path], None]:
    """Read graphs of a format, compute with them, write and read them again."""

    def read(folder: Path) -> None:
        found = read_graphs(folder / "input", name)
        weights = np.ones(len(found.features))
        for graph in found.graphs:
            scores = found.scores(graph, weights)
            graph.k_best(scores, 3)
            graph.prune_to_size(scores, 3)
        (folder / OUT).mkdir()
        for to in ("tunesmith", "plf"):
            try:
                write_named_graphs(found, folder / OUT / to, to, None if to == "tunesmith" else weights)
            except (ConfigError, FormatError):  # what cannot be written in this format
                continue
            read_graphs(folder / OUT / to)

    return read


def _recognised(folder: Path) -> None:
    read_graphs(folder / "input")


def _symbols(folder: Path) -> None:
    read_graphs(folder / "input", f"openfst:symbols={folder / 'symbols'}")


def _seeds() -> list[Files]:
    return [{"input": _written()}]


def kinds() -> list[Kind]:
    texts: dict[str, list[Files]] = {
        name: [{"input": form(text.encode())} for text in some for form in (bytes, _gzip)]
        for name, some in TEXTS.items()
    }
    assert set(texts) == set(graph_formats), "a new format needs its text in support/lists/graph_texts.py"
    numbered = {"input": b"0 1 1 0.5\n1 2 2 1e-3\n0 2 0\n2 1\n", "symbols": b"<eps> 0\ntea 1\nthe 2\n"}
    marks = (b"=", b" ", b"\t", b",", b"|||", b"'", b'"', b"(", b")", b"[", b"]", b"{", b"}", b":")
    return [
        Kind("graphs", _seeds, _read, reseal=reseal_graph_files),
        Kind("graphs-lists", _seeds, _lists, reseal=reseal_graph_files),
        *(
            Kind(f"graphs-{name}", (lambda name=name: texts[name]), _text(name), separators=marks)  # type: ignore[misc]
            for name in texts
        ),
        Kind("graphs-any", lambda: [each[0] for each in texts.values()], _recognised, separators=marks),
        Kind("graphs-symbols", lambda: [numbered], _symbols),
    ]
