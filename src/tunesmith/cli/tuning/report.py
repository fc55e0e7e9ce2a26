"""`tunesmith report`: tuning runs as a page for users, alone or compared."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.cli import options
from tunesmith.cli.console import note
from tunesmith.cli.declaring import argument, grouped, option
from tunesmith.cli.printing import put, put_json
from tunesmith.cli.tuning.report_decoding import Test, TestText, explained, report_test
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tunesmith.evaluation.pages.sentence_changes import Changes
    from tunesmith.evaluation.run_comparison import RunComparison
    from tunesmith.evaluation.run_record import RunRecord
    from tunesmith.io import StrPath


@grouped
def report(
    ctx: typer.Context,
    runs: Annotated[list[Path], argument("RUN…", "Run directories; several are compared with the first.")],
    output: Annotated[
        str | None,
        option(
            "-o --output FILE",
            "The page; - is standard output.",
            show_default="report.html in the directory of a single run",
        ),
    ] = None,
    model: Annotated[Path | None, option("-m --model FOLDER", "The model, for derivations and --test.")] = None,
    given: TestText = TestText(),
    latex: Annotated[bool, option("--latex", "Print the tables of a comparison for a paper.")] = False,
    output_format: options.OutputFormat = options.Format.text,
    digits: options.Digits = 2,
    threads: options.Threads = options.THREADS,
    quiet: options.Quiet = False,
) -> None:
    """Make the page of a tuning run, or compare several runs with tests of significance.

    The page is one file without scripts that needs no network: scores, weights, groups, times, and the sentences
    that changed most against the start weights. [bold]tune[/bold] writes it too, without derivations.

    [bold]Examples[/bold]
      tunesmith report run/
      tunesmith report run/ -m model/ --test test.zh --refs test.en.*
      tunesmith report mert/ mira/ pro/ -o compare.html
      tunesmith report mert/ mira/ --latex > table.tex
    """
    from tunesmith.evaluation.run_record import RunRecord

    given.check(model)
    if latex and len(runs) < 2:
        raise ConfigError("--latex prints tables of a comparison: give two runs or more")
    if latex and output_format is options.Format.json:
        raise ConfigError("--latex and -f json cannot both be printed")
    records = [RunRecord(path) for path in runs]
    on = None
    if given.test is not None and model is not None:
        on = report_test(ctx, records, model, given, threads=threads, quiet=quiet)
    if len(records) == 1:
        _single(records[0], output, model, on, output_format, threads=threads, quiet=quiet)
    else:
        _several(records, output, on, output_format, digits, latex=latex, quiet=quiet)


def _single(
    record: RunRecord,
    output: str | None,
    model: Path | None,
    on: Test | None,
    output_format: options.Format,
    *,
    threads: int,
    quiet: bool,
) -> None:
    from tunesmith.evaluation.run_report import documents, own_changes, run_page

    changes: Changes | None = own_changes(record) if on is None else on.against_start()
    if changes is not None and model is not None:
        subwords = None if on is None else on.subwords
        changes = explained(changes, record, model, subwords=subwords, threads=threads)
    if output_format is options.Format.json:
        document = documents([record], [record.name])[0]
        judged = {} if on is None else {"test": on.comparison().as_dict()}
        shown = {**document, **judged, "changes": None if changes is None else changes.as_dict()}
        put_json(shown, indent=1)
        if output is None:
            return
    from tunesmith.tuning.runs.directory import REPORT

    target = record.folder / REPORT if output is None else output
    _write(target, run_page(record, changes=changes, test=None if on is None else on.comparison()))
    for text in record.missing:
        note(f"tunesmith: note: {record.folder}: {text}", quiet=quiet)
    note(f"the report is in {target}", quiet=quiet or target == "-")


def _several(
    records: Sequence[RunRecord],
    output: str | None,
    on: Test | None,
    output_format: options.Format,
    digits: int,
    *,
    latex: bool,
    quiet: bool,
) -> None:
    from tunesmith.cli.table import print_table
    from tunesmith.evaluation.comparison_report import comparison_page, latex_tables
    from tunesmith.evaluation.run_comparison import HEADER, compare_runs
    from tunesmith.evaluation.run_report import documents

    if on is None:
        found: RunComparison = compare_runs(records)
    else:
        found = compare_runs(records, outputs=on.outputs, metric=on.metric, data=on.name)
    if output is not None:
        _write(output, comparison_page(found, sentences=None if on is None else on.sentences, digits=digits))
        note(f"the comparison is in {output}", quiet=quiet or output == "-")
    if latex:
        put(latex_tables(found, digits), end="")
    elif output_format is options.Format.json:
        document = {**found.as_dict(), "runs": documents(found.records, found.names)}
        put_json(document, indent=1)
    elif output != "-":
        print_table(list(HEADER), found.rows(digits))
        if found.tests is not None:
            note(str(found.tests.signature), quiet=quiet)
    if found.why_not:
        note(f"tunesmith: note: no tests of significance: {found.why_not}", quiet=quiet)


def _write(target: StrPath, text: str) -> None:
    from tunesmith.io import atomic_writer

    with atomic_writer(target) as out:
        out.write(text)
