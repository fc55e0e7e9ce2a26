"""What every `tunesmith experiment` leaves and prints."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from tunesmith.cli import options
from tunesmith.cli.console import note
from tunesmith.cli.printing import put_json, say

if TYPE_CHECKING:
    from tunesmith.experiments.pictures import Pictures


class ExperimentTable(Protocol):
    """What the table of an experiment can be turned into."""

    def rows(self) -> list[list[str]]:
        """Return cells, with the bold of Markdown."""

    def markdown(self) -> str:
        """Return the page of an experiment as Markdown."""

    def as_dict(self) -> dict[str, Any]:
        """Return the values of JSON output."""


def print_plan(stages: Iterable[tuple[str, bool]]) -> None:
    for name, done in stages:
        say(f"{name}\t{'done' if done else 'to do'}")


def write_pages(
    folder: Path,
    draw: Callable[[], Pictures],
    write: Callable[[Path, Pictures], None],
    *,
    quiet: bool,
) -> None:
    """Write pictures and the page."""
    from tunesmith.experiments.pictures import write_pictures
    from tunesmith.io.inside import inside

    pictures = draw()
    write_pictures(folder, pictures)
    write(inside(folder) / "report.html", pictures)
    note(f"the table is in {folder / 'table.md'}, the page in {folder / 'report.html'}", quiet=quiet)


T = TypeVar("T", bound=ExperimentTable)
Row_contra = TypeVar("Row_contra", contravariant=True)
T_co = TypeVar("T_co", bound=ExperimentTable, covariant=True)


class StagedExperiment(Protocol[Row_contra, T_co]):
    """An experiment whose rows run in stages."""

    def run(self, rows: Sequence[Row_contra], observe: Any) -> T_co:
        """Run what is missing."""

    def table(self, rows: Sequence[Row_contra]) -> T_co:
        """Return the table of what is there."""


def run_and_publish(
    work: StagedExperiment[Any, T],
    rows: Sequence[Any],
    folder: Path,
    draw: Callable[[T], Pictures],
    write: Callable[[Path, T, Pictures], None],
    *,
    quiet: bool,
) -> T:
    """Run an experiment and write its pages, of what there is also where stages failed."""
    from tunesmith.cli.experiments.stage_progress import progress_of_stages
    from tunesmith.cli.interruptible import run_interruptibly
    from tunesmith.experiments.parallel import FailedStagesError

    def publish(table: T) -> None:
        write_pages(folder, lambda: draw(table), lambda path, pictures: write(path, table, pictures), quiet=quiet)

    try:
        table = run_interruptibly(
            lambda: work.run(rows, progress_of_stages(quiet=quiet)),
            lambda: "interrupted; resume with the same command",
        )
    except FailedStagesError:
        publish(work.table(rows))
        raise
    publish(table)
    return table


def print_experiment(
    table: ExperimentTable, header: Sequence[str], output_format: options.TableFormat, texts: Container[int]
) -> None:
    """Print the table on stdout.   texts: columns that are not numbers."""
    from tunesmith.cli.table import print_table

    if output_format is options.TableFormat.json:
        put_json(table.as_dict(), indent=1)
    elif output_format is options.TableFormat.markdown:
        say(table.markdown(), end="")
    else:
        print_table(header, [[cell.strip("*") for cell in row] for row in table.rows()], texts=texts)
