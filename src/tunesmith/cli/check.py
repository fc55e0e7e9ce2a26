"""`tunesmith check`: whether files are as they were written."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tunesmith.cli.console import remark
from tunesmith.cli.declaring import argument
from tunesmith.cli.options import Format, OutputFormat, Quiet
from tunesmith.cli.printing import put_json, say
from tunesmith.errors import TunesmithError

if TYPE_CHECKING:
    from tunesmith.io.checks import Report


def check(
    paths: Annotated[list[Path], argument("PATH…", "Files and folders that tunesmith wrote.")],
    output_format: OutputFormat = Format.text,
    quiet: Quiet = False,
) -> None:
    """Verify files and folders against their checksums.

    Takes model directories, rule tables, leave-one-out counts, binary language models, weights, candidate
    sets, search graphs, run directories and experiments. Prints what is damaged, and which files have no
    checksum. Exit codes: 0 whole, 1 damaged, 2 not written by tunesmith.

    [bold]Examples[/bold]
      tunesmith check model/
      tunesmith check run/ lm.bin weights.tsv -f json
    """
    found: dict[Path, Report] = {}
    refused: dict[Path, TunesmithError] = {}
    for path in paths:
        try:
            found[path] = checked(path)
        except TunesmithError as error:
            refused[path] = error
    if output_format is Format.json:
        reports = {str(path): report.as_dict() for path, report in found.items()}
        put_json({**reports, **{str(path): {"error": str(why)} for path, why in refused.items()}}, indent=1)
    else:
        for path, report in found.items():
            for line in lines(path, report, quiet=quiet):
                say(line)
    for each in refused.values():
        remark(str(each))
    damaged = any(report.damaged for report in found.values())
    codes = [each.exit_code for each in refused.values()]
    raise typer.Exit(1 if damaged else min(codes, default=0))


def checked(path: Path) -> Report:
    """Return the report on a file or folder of any format of tunesmith; the formats register themselves."""
    import tunesmith.experiments.check
    import tunesmith.grammar.check
    import tunesmith.lm.check
    import tunesmith.search.check
    import tunesmith.training.check
    import tunesmith.tuning.runs.check
    import tunesmith.weights_check  # noqa: F401
    from tunesmith.io import checks

    return checks.check(path)


def refuse_damaged(path: Path) -> None:
    """Raise TunesmithError with all that is damaged; for verbs that check what they are about to use."""
    report = checked(path)
    if report.damaged:
        raise TunesmithError("; ".join(f"{file}: {message}" for file, message in report.damaged.items()))


def lines(path: Path, report: Report, *, quiet: bool) -> list[str]:
    found = [f"damaged      {file}: {message}" for file, message in report.damaged.items()]
    if not quiet:
        found += [f"no checksum  {file}: {why}" for file, why in report.unsealed.items()]
    number = len(report.whole)
    state = f"{len(report.damaged)} damaged" if report.damaged else "whole" if number else "nothing to verify"
    files = f"{number} {'file' if number == 1 else 'files'} verified, {report.bytes} bytes"
    return [*found, f"{path}: {report.noun}, {state}; {files}"]
