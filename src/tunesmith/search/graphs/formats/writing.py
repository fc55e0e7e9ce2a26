"""Search graphs written in another format: one file, or a folder with a numbered file for each sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Literal, NamedTuple

from tunesmith.checks import one_of
from tunesmith.errors import ConfigError
from tunesmith.io import StrPath, make_folder, write_lines
from tunesmith.search.graphs.derivations import Floats
from tunesmith.search.graphs.formats.cdec_writer import cdec_line
from tunesmith.search.graphs.formats.lattice_writer import plf_line
from tunesmith.search.graphs.formats.moses_writer import moses_lines
from tunesmith.search.graphs.formats.reading import OWN, NamedGraphs
from tunesmith.search.graphs.graph import SearchGraph

Written = Literal["tunesmith", "moses-hypergraph", "cdec-json", "plf", "openfst"]
"""Formats that graphs are written in."""


class _Writer(NamedTuple):
    """lines: of one graph.   ending: of the files of a folder, None where one file holds all graphs."""

    lines: Callable[[NamedGraphs, SearchGraph, Floats | None, int], Iterable[str]]
    ending: str | None


def _plf(named: NamedGraphs, graph: SearchGraph, weights: Floats | None, k: int) -> Iterable[str]:
    if weights is None:
        return [plf_line(named, graph)]
    return [graph.lattice(named.scores(graph, weights), k).plf(named.words.__getitem__)]


def _openfst(named: NamedGraphs, graph: SearchGraph, weights: Floats | None, k: int) -> Iterable[str]:
    if weights is None:
        raise ConfigError("lattices of OpenFst have scores and no features: give weights (-W FILE)")
    return graph.lattice(named.scores(graph, weights), k).openfst(named.words.__getitem__)


_WRITERS = {
    "moses-hypergraph": _Writer(lambda named, graph, weights, k: moses_lines(named, graph), "gz"),
    "cdec-json": _Writer(lambda named, graph, weights, k: [cdec_line(named, graph)], "json.gz"),
    "plf": _Writer(_plf, None),
    "openfst": _Writer(_openfst, "fst.txt"),
}


def write_named_graphs(
    named: NamedGraphs, output: StrPath, to: str = OWN, weights: Floats | None = None, k: int = 1000
) -> None:
    """Write graphs to a file, or to a folder with a numbered file for each (moses-hypergraph, cdec-json, openfst).

    weights: PLF then has scores instead of features; OpenFst has nothing else.
    k: number of best strings in the lattice that a forest becomes.
    """
    one_of((OWN, *_WRITERS), to=to)
    if to == OWN:
        named.write(output)
        return
    writer = _WRITERS[to]
    if writer.ending is None:
        write_lines(output, (line for graph in named.graphs for line in writer.lines(named, graph, weights, k)))
        return
    folder = make_folder(output)
    for number, graph in enumerate(named.graphs):
        write_lines(Path(folder) / f"{number}.{writer.ending}", writer.lines(named, graph, weights, k))
