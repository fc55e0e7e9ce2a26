"""`tunesmith candidates stats` and `oracle`: how good lists are, and could be."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.cli import options
from tunesmith.cli.console import note
from tunesmith.cli.declaring import grouped, option
from tunesmith.cli.lists.list_options import ListFileArgument, Measuring
from tunesmith.cli.printing import put_json, say
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.evaluation.list_statistics import ListStatistics


@grouped
def stats(
    ctx: typer.Context,
    file: ListFileArgument = None,
    how: Measuring = Measuring(),
    top: Annotated[int, option("--top", "Features shown, those that fire most first.", min=0)] = 30,
    output_format: options.OutputFormat = options.Format.text,
) -> None:
    """Print list sizes and a table of features; with references, how good the lists could be.

    The correlation is that of feature and metric inside the lists: what a reranker can use of it.

    [bold]Examples[/bold]
      tunesmith candidates stats dev.nbest
      tunesmith candidates stats dev.nbest --refs dev.en.* --metric chrf -f json
    """
    from tunesmith.evaluation.list_statistics import list_statistics

    found = how.read(ctx, file)
    described = list_statistics(found.candidates, found.metric if found.has_references else None)
    if output_format is options.Format.json:
        put_json({"dialect": found.dialect, **asdict(described)}, indent=1)
        return
    _print_statistics(described, found.dialect, top, how.digits)


@grouped
def oracle(
    ctx: typer.Context,
    file: ListFileArgument = None,
    how: Measuring = Measuring(),
    worst: Annotated[bool, option("--worst", "The anti-oracle: the worst candidates.")] = False,
    output: options.OutputFile = "-",
) -> None:
    """Print the best candidate of every list by the metric (the worst with --worst), a line each.

    Chosen sentence by sentence (BLEU: by BLEU+1), which need not be the best choice for all together.

    [bold]Examples[/bold]
      tunesmith candidates oracle dev.nbest --refs dev.en.* > oracle.out
    """
    from tunesmith.evaluation.list_statistics import oracle as find_oracle
    from tunesmith.io import check_output, write_lines

    check_output(output, [] if file is None else [file])
    candidates, _, metric, has_references = how.read(ctx, file)
    if not has_references:
        raise ConfigError("an oracle needs references: --refs FILE…")
    best = find_oracle(candidates, metric, worst=worst)
    assert candidates.statistics is not None
    score = float(metric.score(candidates.statistics[best].sum(axis=0, dtype=float)))
    lines = [""] * candidates.sentences
    for sentence, at in zip(candidates.sentence_of[best].tolist(), best.tolist(), strict=True):
        lines[sentence] = candidates.text(at)
    write_lines(output, lines)
    note(f"{'anti-oracle' if worst else 'oracle'}: {metric.label} {score:.{how.digits}f}", quiet=how.quiet)


def _print_statistics(described: ListStatistics, dialect: str, top: int, digits: int) -> None:
    from tunesmith.cli.table import print_table

    empty = f", {described.without_candidates} of them without" if described.without_candidates else ""
    texts = "" if described.different_texts is None else f", {described.different_texts} different texts"
    say(f"{dialect}: {described.candidates} candidates of {described.sentences} sentences{empty}{texts}")
    say(f"candidates of a sentence: {described.smallest} to {described.largest}, median {described.median:g}")
    if described.bounds is not None:
        each = described.bounds
        say(
            f"{each.metric}: first {each.first:.{digits}f}, oracle {each.oracle:.{digits}f}, "
            f"anti-oracle {each.anti_oracle:.{digits}f}"
        )
    rows = sorted(described.features, key=lambda row: -row.fires)
    header = ["feature", "fires", "mean", "deviation", "minimum", "maximum", "correlation"]
    cells = [
        [
            row.name, f"{100 * row.fires:.1f}%", f"{row.mean:.4g}", f"{row.deviation:.4g}", f"{row.minimum:.4g}",
            f"{row.maximum:.4g}", "" if row.correlation is None else f"{row.correlation:.3f}",
        ]
        for row in rows[:top]
    ]  # fmt: skip
    if cells:
        print_table(header, cells)
    if len(rows) > top:
        say(f"and {len(rows) - top} more features")
