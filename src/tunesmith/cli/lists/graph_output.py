"""`tunesmith graphs draw`, `convert` and `prune`: search graphs as pictures, in other formats, and smaller."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Literal

import typer

from tunesmith.cli import options
from tunesmith.cli.console import note
from tunesmith.cli.declaring import grouped, option
from tunesmith.cli.lists.graph_options import GraphFiles, GraphInput, References
from tunesmith.errors import ConfigError


class Target(str, Enum):
    """Formats that graphs are written in."""

    tunesmith = "tunesmith"
    moses = "moses-hypergraph"
    cdec = "cdec-json"
    plf = "plf"
    openfst = "openfst"


class PruneBy(str, Enum):
    """What edges are kept by."""

    max_marginal = "max-marginal"
    posterior = "posterior"


Output = Annotated[str, option(
    "-o --output FILE", "File to write; a folder for moses-hypergraph, cdec-json and openfst."
)]  # fmt: skip
ToFormat = Annotated[Target, option("--to FORMAT", "tunesmith (one file, opened at once), or a text format.")]
Strings = Annotated[int, option("--k N", "Forests become lattices of their N best strings.", min=1)]


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
    """Return the picture of a graph, drawn by Graphviz."""
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
    output: Output,
    how: GraphInput = GraphInput(),
    to: ToFormat = Target.tunesmith,
    k: Strings = 1000,
) -> None:
    """Write graphs in another format.

    Lattices of OpenFst have words and scores, by -W, and no features; so have those of PLF with -W.

    [bold]Examples[/bold]
      tunesmith graphs convert graphs/ -o dev.graphs
      tunesmith graphs convert graphs/ -W weights.tsv --to plf -o dev.plf
      tunesmith graphs convert lattices/ --graph-format openfst:symbols=words.syms -o dev.graphs
    """
    from tunesmith.io import check_output
    from tunesmith.search.graphs.formats.writing import write_named_graphs

    check_output(output, files)
    named = how.read(files)
    write_named_graphs(named, output, to.value, how.vector(named), k)


@grouped
def prune(
    ctx: typer.Context,
    files: GraphFiles,
    output: Output,
    how: GraphInput = GraphInput(),
    density: Annotated[float, option("--density N", "Edges kept per word of the shortest reference.")] = 50.0,
    references: References = [],  # noqa: B006 (the parser's)
    edges: Annotated[int | None, option(
        "--edges N", "Edges kept of each graph, instead of a density.", min=1, show_default="by --density"
    )] = None,
    by: Annotated[PruneBy, option(
        "--by NAME", "Score of an edge: that of the best derivation through it (max-marginal), or its probability."
    )] = PruneBy.max_marginal,
    to: ToFormat = Target.tunesmith,
    k: Strings = 1000,
) -> None:  # fmt: skip
    """Keep the best edges of each graph, by -W; the best derivation stays in any case.

    [bold]Examples[/bold]
      tunesmith graphs prune graphs/ -W weights.tsv --refs dev.en.* --density 50 -o dev.graphs
      tunesmith graphs prune graphs/ -W weights.tsv --edges 500 --by posterior -o dev.graphs
    """
    from tunesmith.evaluation.graph_statistics import check_references
    from tunesmith.io import check_output
    from tunesmith.search.graphs.formats.pruning import pruned_to_density, pruned_to_size
    from tunesmith.search.graphs.formats.writing import write_named_graphs

    check_output(output, files)
    texts = how.references(ctx, references, files)
    if (texts is None) == (edges is None):
        raise ConfigError("give --refs FILE…, for --density edges per reference word, or --edges N")
    named = how.read(files)
    weights = how.needed_vector(named)
    score: Literal["posterior", "max_marginal"] = "posterior" if by is PruneBy.posterior else "max_marginal"
    if texts is None:
        smaller = pruned_to_size(named, weights, edges or 1, score)
    else:
        check_references(named, texts)
        smaller = pruned_to_density(named, weights, texts, density, score)
    write_named_graphs(smaller, output, to.value, weights, k)
    before, after = (sum(graph.edges for graph in each.graphs) for each in (named, smaller))
    note(f"{after} of {before} edges kept", quiet=how.quiet)
