"""`tunesmith graphs draw` and `convert`: search graphs as pictures, and in other formats."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli import options
from tunesmith.cli.declaring import grouped, option
from tunesmith.cli.lists.graph_options import GraphFiles, GraphInput
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.search.graphs.formats import NamedGraphs


class Target(str, Enum):
    """Formats that graphs are written in."""

    tunesmith = "tunesmith"
    moses = "moses-hypergraph"
    plf = "plf"
    openfst = "openfst"


@grouped
def draw(
    files: GraphFiles,
    how: GraphInput = GraphInput(),
    sentence: Annotated[int, option("--sentence N", "The graph to draw, counted from 0.", min=0)] = 0,
    edges: Annotated[int, option("--edges N", "Draw the best edges only.", min=1)] = 100,
    output: options.OutputFile = "-",
) -> None:
    """Draw one graph in the language of Graphviz, or as SVG (-o FILE.svg) by its program dot.

    With more than --edges edges, those of the best derivations are drawn, by -W.

    [bold]Examples[/bold]
      tunesmith graphs draw graphs/ -W weights.tsv --sentence 3 --edges 40 -o 3.svg
    """
    import numpy as np

    from tunesmith.io import atomic_writer, check_output

    check_output(output, files)
    named = how.read(files)
    if sentence >= len(named.graphs):
        raise ConfigError(f"--sentence must be below {len(named.graphs)}, the number of graphs, got {sentence}")
    graph, weights = named.graphs[sentence], how.vector(named)
    scores = np.zeros(graph.edges) if weights is None else named.scores(graph, weights)
    if graph.edges > edges:
        part = graph.prune_to_size(scores, edges, "max_marginal")
        graph, scores = part.graph, scores[part.edges]
    text = graph.dot(named.words.__getitem__, None if weights is None else scores)
    if output.endswith(".svg"):
        text = _svg(text)
    with atomic_writer(output) as out:
        out.write(text)


def _svg(text: str) -> str:
    """The picture of a graph, drawn by Graphviz."""
    import shutil

    from tunesmith.execution import children

    program = shutil.which("dot")
    if program is None:
        raise ConfigError("SVG is drawn by the program dot of Graphviz, which is not installed; write -o FILE.dot")
    code, drawn, messages = children.run([program, "-Tsvg"], text)
    if code:
        raise ConfigError(f"dot of Graphviz failed with exit code {code}", said=messages.splitlines()[-5:])
    return drawn


@grouped
def convert(
    files: GraphFiles,
    output: Annotated[str, option("-o --output FILE", "File to write; of moses-hypergraph and openfst a folder.")],
    how: GraphInput = GraphInput(),
    to: Annotated[Target, option("--to FORMAT", "tunesmith (one file, opened at once), or a text format.")]
    = Target.tunesmith,
    k: Annotated[int, option("--k N", "Forests as lattices: those of so many best strings.", min=1)] = 1000,
) -> None:  # fmt: skip
    """Write graphs in another format. PLF and OpenFst have words and scores, by -W, and no features.

    [bold]Examples[/bold]
      tunesmith graphs convert graphs/ -o dev.graphs
      tunesmith graphs convert graphs/ -W weights.tsv --to plf -o dev.plf
    """
    from tunesmith.io import check_output, make_folder, write_lines
    from tunesmith.search.graphs.formats.moses_writer import moses_lines

    check_output(output, files)
    named = how.read(files)
    if to is Target.tunesmith:
        named.write(output)
    elif to is Target.plf:
        write_lines(output, _plf(named, how, k))
    else:
        folder, ending = make_folder(output), "gz" if to is Target.moses else "fst.txt"
        lattices = None if to is Target.moses else how.needed_vector(named)
        for number, graph in enumerate(named.graphs):
            path = Path(folder) / f"{number}.{ending}"
            if lattices is None:
                write_lines(path, moses_lines(named, graph))
            else:
                lattice = graph.lattice(named.scores(graph, lattices), k)
                write_lines(path, lattice.openfst(named.words.__getitem__))


def _plf(named: NamedGraphs, how: GraphInput, k: int) -> Iterator[str]:
    weights = how.needed_vector(named)
    for graph in named.graphs:
        yield graph.lattice(named.scores(graph, weights), k).plf(named.words.__getitem__)
