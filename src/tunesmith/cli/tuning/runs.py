"""`tunesmith runs`: tuning runs and how they stand."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tunesmith.cli.declaring import argument
from tunesmith.cli.options import Digits, Format, OutputFormat
from tunesmith.cli.printing import put_json

if TYPE_CHECKING:
    from tunesmith.tuning.runs.status import RunStatus


def runs(
    folders: Annotated[
        list[Path] | None, argument("[DIR]…", "Run directories, or folders that hold some.", show_default=".")
    ] = None,
    output_format: OutputFormat = Format.text,
    digits: Digits = 2,
) -> None:
    """List tuning runs: running, finished, interrupted, failed or damaged, with the best score.

    The command that started an interrupted run resumes it. A damaged one must be started again with --restart.

    [bold]Examples[/bold]
      tunesmith runs
      tunesmith runs experiments/ run/ -f json
    """
    from tunesmith.cli.console import remark
    from tunesmith.cli.table import print_table
    from tunesmith.tuning.runs.finding import find_runs
    from tunesmith.tuning.runs.status import status

    found: list[RunStatus] = [status(folder) for folder in find_runs(folders or [Path()])]
    if output_format is Format.json:
        put_json([each.as_dict() for each in found], indent=1)
        return
    if not found:
        remark("no tuning runs here")
        return
    header = ["run", "state", "recipe", "round", "best", "score", "time"]
    print_table(header, [_cells(each, digits) for each in found])
    for each in found:
        if each.state == "failed":
            remark(f"{each.path}: {each.reason}")
        elif each.state == "damaged":
            remark(str(each.reason))  # which names the file


def _cells(each: RunStatus, digits: int) -> list[str]:
    score = "" if each.best_score is None else f"{each.metric} {each.best_score:.{digits}f}"
    best = "" if each.best_round is None else str(each.best_round)
    return [each.path, each.state, each.recipe, f"{each.round}/{each.rounds}", best, score, _time(each.seconds)]


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"
