"""`tunesmith graphs mbr`: the translation of every search graph that agrees best with all others."""

from __future__ import annotations

from tunesmith.cli import options
from tunesmith.cli.declaring import grouped
from tunesmith.cli.lists.graph_options import GraphFiles, GraphInput
from tunesmith.cli.translation.mbr_options import MbrSettings


@grouped
def mbr(
    files: GraphFiles,
    how: GraphInput = GraphInput(),
    settings: MbrSettings = MbrSettings(),
    output: options.OutputFile = "-",
    threads: options.Threads = options.THREADS,
) -> None:
    """Print the translation of least Bayes risk of every graph, a line each (Tromble et al. 2008).

    [bold]Examples[/bold]
      tunesmith graphs mbr graphs/ -W weights.tsv > mbr.out
      tunesmith graphs mbr graphs/ -W weights.tsv --mbr-scale 0.5 --mbr-evidence once -o mbr.out
    """
    from tunesmith.io import check_output, write_lines

    check_output(output, files)
    risk = settings.risk()
    named = how.read(files)
    weights = how.needed_vector(named)
    graphs = list(named.graphs)
    best = risk.best_of(graphs, [named.scores(graph, weights) for graph in graphs], threads=threads)
    write_lines(output, ["" if each is None else each.text(named.words.__getitem__) for each in best])
