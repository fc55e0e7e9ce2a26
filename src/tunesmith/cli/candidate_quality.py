"""`tunesmith candidates stats` and `oracle`: how good lists are, and could be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.cli import list_options as lists
from tunesmith.cli import metric_options as choose
from tunesmith.cli import options
from tunesmith.cli.candidate_files import read_one
from tunesmith.cli.console import note
from tunesmith.cli.declaring import option
from tunesmith.cli.printing import put_json, say
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.evaluation.list_statistics import ListStatistics
    from tunesmith.search import ListFile


def stats(
    ctx: typer.Context,
    file: lists.ListFileArgument = None,
    references: lists.References = None,
    metric: lists.MetricName = "bleu",
    lowercase: options.Lowercase = False,
    tokenize: choose.Tokenize = None,
    top: Annotated[int, option("--top", "Features shown, those that fire most first.", min=0)] = 30,
    dialect: lists.Dialect = None,
    skip_bad: lists.SkipBad = False,
    output_format: options.OutputFormat = options.Format.text,
    digits: options.Digits = 2,
    threads: options.Threads = 1,
    quiet: options.Quiet = False,
) -> None:
    """Print list sizes and a table of features; with references, how good the lists could be.

    The correlation is that of feature and metric inside the lists: what a reranker can use of it.

    [bold]Examples[/bold]
      tunesmith candidates stats dev.nbest
      tunesmith candidates stats dev.nbest --refs dev.en.* --metric chrf -f json
    """
    from tunesmith.evaluation.list_statistics import list_statistics

    found = read_one(file, dialect, skip_bad=skip_bad, quiet=quiet)
    texts = _references(ctx, found, references, quiet=quiet)
    measure = choose.chosen_metric(metric, lowercase, tokenize)
    candidates = found.candidates
    if texts is not None:
        candidates = candidates.with_statistics(measure.prepare(texts), threads=threads)
    described = list_statistics(candidates, measure if texts is not None else None)
    if output_format is options.Format.json:
        put_json({"dialect": found.dialect, **described.as_dict()}, indent=1)
        return
    _print_statistics(described, found.dialect, top, digits)


def oracle(
    ctx: typer.Context,
    file: lists.ListFileArgument = None,
    references: lists.References = None,
    metric: lists.MetricName = "bleu",
    lowercase: options.Lowercase = False,
    tokenize: choose.Tokenize = None,
    worst: Annotated[bool, option("--worst", "The anti-oracle: the worst candidates.")] = False,
    dialect: lists.Dialect = None,
    skip_bad: lists.SkipBad = False,
    output: options.OutputFile = "-",
    digits: options.Digits = 2,
    threads: options.Threads = 1,
    quiet: options.Quiet = False,
) -> None:
    """Print the best candidate of every list by the metric (the worst with --worst), a line each.

    Chosen sentence by sentence (BLEU: by BLEU+1), which need not be the best choice for all together.

    [bold]Examples[/bold]
      tunesmith candidates oracle dev.nbest --refs dev.en.* > oracle.out
    """
    from tunesmith.evaluation.list_statistics import oracle as find_oracle
    from tunesmith.io import check_output, write_lines

    check_output(output, [] if file is None else [file])
    found = read_one(file, dialect, skip_bad=skip_bad, quiet=quiet)
    texts = _references(ctx, found, references, quiet=quiet)
    if texts is None:
        raise ConfigError("an oracle needs references: --refs FILE…")
    measure = choose.chosen_metric(metric, lowercase, tokenize)
    candidates = found.candidates.with_statistics(measure.prepare(texts), threads=threads)
    best = find_oracle(candidates, measure, worst=worst)
    assert candidates.statistics is not None
    score = float(measure.score(candidates.statistics[best].sum(axis=0, dtype=float)))
    lines = [""] * candidates.sentences
    for sentence, at in zip(candidates.sentence_of[best].tolist(), best.tolist(), strict=True):
        lines[sentence] = candidates.text(at)
    write_lines(output, lines)
    note(f"{'anti-oracle' if worst else 'oracle'}: {measure.label} {score:.{digits}f}", quiet=quiet)


def _references(
    ctx: typer.Context, found: ListFile, references: Sequence[str] | None, *, quiet: bool
) -> Sequence[Sequence[str]] | None:
    from tunesmith.cli.evaluation_input import read_reference_files

    texts = found.references
    if references:
        texts = read_reference_files(ctx, references, [], quiet=quiet).sentences
    if texts is not None and len(texts) < found.candidates.sentences:
        raise ConfigError(
            f"the lists have {found.candidates.sentences} sentences and there are references for {len(texts)}"
        )
    return texts


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
