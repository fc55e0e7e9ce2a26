"""`tunesmith check`: whether files are as they were written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.cli.console import remark
from tunesmith.cli.options import Format, OutputFormat, Quiet
from tunesmith.cli.printing import put_json, say
from tunesmith.errors import ConfigError, TunesmithError

if TYPE_CHECKING:
    from tunesmith.io.checks import Report


def check(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH…", help="Files and folders that tunesmith wrote.", show_default=False),
    ],
    output_format: OutputFormat = Format.text,
    quiet: Quiet = False,
) -> None:
    """Read files and folders wholly and compare them with their checksums.

    Takes model directories, rule tables, own rules, binary language models, weights, candidate sets, search
    graphs, run directories and experiments. Prints what is damaged, and which files have no checksum. Exit
    codes: 0 whole, 1 damaged, 2 not written by tunesmith.

    [bold]Examples[/bold]
      tunesmith check model/
      tunesmith check run/ lm.bin weights.tsv -f json
    """
    found: dict[Path, Report] = {}
    refused: list[ConfigError] = []
    for path in paths:
        try:
            found[path] = checked(path)
        except ConfigError as error:
            refused.append(error)
    if output_format is Format.json:
        put_json({str(path): report.as_dict() for path, report in found.items()}, indent=1)
    else:
        for path, report in found.items():
            for line in lines(path, report, quiet=quiet):
                say(line)
    if any(report.damaged for report in found.values()):
        for each in refused:
            remark(str(each))
        raise typer.Exit(1)
    if refused:
        raise refused[0]


def checked(path: Path) -> Report:
    """The report on a file or folder of any format of ours; the formats register themselves."""
    import tunesmith.experiments.check
    import tunesmith.grammar.check
    import tunesmith.lm.check
    import tunesmith.search.check
    import tunesmith.training.check
    import tunesmith.tuning.check
    import tunesmith.weights_check  # noqa: F401
    from tunesmith.io import checks

    return checks.check(path)


def refuse_damaged(path: Path) -> None:
    """Raise TunesmithError with all that is damaged; for verbs that check what they are about to use."""
    report = checked(path)
    if report.damaged:
        raise TunesmithError("; ".join(f"{file}: {message}" for file, message in report.damaged.items()))


def lines(path: Path, report: Report, *, quiet: bool) -> list[str]:
    """A report for people."""
    found = [f"damaged      {file}: {message}" for file, message in report.damaged.items()]
    if not quiet:
        found += [f"no checksum  {file}: {why}" for file, why in report.unsealed.items()]
    state = f"{len(report.damaged)} damaged" if report.damaged else "whole"
    number = len(report.whole)
    files = f"{number} {'file' if number == 1 else 'files'} with a checksum that is right, {report.bytes} bytes"
    return [*found, f"{path}: {report.noun}, {state}; {files}"]
