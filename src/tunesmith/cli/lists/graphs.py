"""`tunesmith graphs`: look at search graphs, convert and draw them, see how good they could be."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from tunesmith.cli import options
from tunesmith.cli.console import note, remark
from tunesmith.cli.declaring import grouped, option
from tunesmith.cli.group import Verb, verb_group
from tunesmith.cli.lists.graph_mbr import mbr
from tunesmith.cli.lists.graph_options import GraphFiles, GraphInput, References
from tunesmith.cli.lists.graph_output import convert, draw, prune
from tunesmith.cli.printing import put_json, say
from tunesmith.errors import ConfigError

graphs = verb_group(
    "graphs",
    "Look at search graphs of many toolkits; convert, prune, draw; print best translations and oracles.",
)


@grouped
def stats(
    ctx: typer.Context,
    files: GraphFiles,
    how: GraphInput = GraphInput(),
    references: References = [],  # noqa: B006 (the parser's)
    output_format: options.OutputFormat = options.Format.text,
    digits: options.Digits = 2,
) -> None:
    """Print sizes and features; with references density and oracle BLEU, with weights BLEU of the best.

    [bold]Examples[/bold]
      tunesmith graphs stats graphs/
      tunesmith graphs stats graphs/ -W weights.tsv --refs dev.en.*
    """
    from tunesmith.cli.table import print_table
    from tunesmith.evaluation.graph_statistics import graph_statistics

    texts = how.references(ctx, references, files)
    named = how.read(files)
    found = graph_statistics(named, how.vector(named), texts)
    if output_format is options.Format.json:
        put_json(asdict(found), indent=1)
        return
    empty = f", {found.empty} of them empty" if found.empty else ""
    say(f"{found.format}: {found.sentences} graphs{empty}, {found.lattices} lattices")
    say(f"{found.nodes} nodes, {found.edges} edges, {found.largest} in the largest graph")
    say(f"derivations: 10^{found.median_derivations:.1f} in the median graph")
    if found.density is not None:
        say(f"density: {found.density:.1f} edges per word of the shortest reference")
    best = "" if found.best is None else f"best {found.best:.{digits}f}, "
    if found.oracle is not None:
        say(f"BLEU: {best}oracle {found.oracle:.{digits}f}")
    print_table(["feature", "edges"], [[name, f"{100 * share:.1f}%"] for name, share in found.fires.items()])


@grouped
def oracle(
    ctx: typer.Context,
    files: GraphFiles,
    how: GraphInput = GraphInput(),
    references: References = [],  # noqa: B006 (the parser's)
    worst: Annotated[bool, option("--worst", "The anti-oracle: the worst translations.")] = False,
    beam: Annotated[int, option("--beam N", "Hypotheses kept at each node.", options.DETAILS, min=1)] = 50,
    output: options.OutputFile = "-",
    digits: options.Digits = 2,
) -> None:
    """Print the translation of every graph with the best BLEU+1 (the worst with --worst), a line each.

    [bold]Examples[/bold]
      tunesmith graphs oracle graphs/ --refs dev.en.* > oracle.out
    """
    from tunesmith.evaluation.graph_statistics import bleu_of, oracle_texts
    from tunesmith.io import check_output, write_lines

    check_output(output, files)
    texts = how.references(ctx, references, files)
    if texts is None:
        raise ConfigError("an oracle needs references: --refs FILE…")
    lines = oracle_texts(how.read(files), texts, beam, worst=worst)
    write_lines(output, lines)
    note(f"{'anti-oracle' if worst else 'oracle'}: BLEU {bleu_of(lines, texts):.{digits}f}", quiet=how.quiet)


@grouped
def best(
    files: GraphFiles,
    how: GraphInput = GraphInput(),
    subwords: options.Subwords = None,
    output: options.OutputFile = "-",
) -> None:
    """Print the best translation of every graph, by -W, a line each; pieces of words are joined.

    [bold]Examples[/bold]
      tunesmith graphs best graphs/ -W run/weights.tsv > test.out
    """
    from tunesmith.cli.evaluation.joined_words import tell_subwords
    from tunesmith.corpus.subwords import check_subwords, detect_subwords, join_lines
    from tunesmith.evaluation.graph_statistics import best_texts
    from tunesmith.io import check_output, write_lines

    check_subwords(subwords)
    check_output(output, files)
    named = how.read(files)
    lines = best_texts(named, how.needed_vector(named))
    kind = detect_subwords(named.words) if subwords is None else subwords
    write_lines(output, join_lines(lines, kind))
    if subwords is None:
        tell_subwords("the graphs", kind, quiet=how.quiet)
    if empty := sum(not graph.nodes for graph in named.graphs):
        remark(f"{empty} sentences with an empty graph have an empty line", quiet=how.quiet)


@grouped
def kbest(
    files: GraphFiles,
    how: GraphInput = GraphInput(),
    k: Annotated[int, option("--k N", "Translations of each graph.", min=1)] = 100,
    repeated: Annotated[bool, option("--repeated", "Derivations with the same words too.")] = False,
    to: Annotated[str, option("--to DIALECT", "Dialect to write.")] = "moses",
    output: options.OutputFile = "-",
) -> None:
    """Write the k best translations of every graph, with their features, as an n-best list.

    [bold]Examples[/bold]
      tunesmith graphs kbest graphs/ -W weights.tsv --k 100 -o dev.nbest.gz
    """
    from tunesmith.io import check_output
    from tunesmith.search import write_kbest
    from tunesmith.search.graphs.formats.best_lists import best_lists

    check_output(output, files)
    named = how.read(files)
    write_kbest(best_lists(named, how.needed_vector(named), k, distinct=not repeated), output, to)


for verb in (stats, best, kbest, mbr, oracle, draw, prune, convert):
    graphs.command(verb.__name__, cls=Verb)(verb)
