"""What every `tunesmith experiment` leaves and prints."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from tunesmith.cli import options
from tunesmith.cli.console import note
from tunesmith.cli.printing import put_json, say

if TYPE_CHECKING:
    from tunesmith.experiments.pictures import Pictures


class ExperimentTable(Protocol):
    """What the table of an experiment can be turned into."""

    def rows(self) -> list[list[str]]:
        """Cells, with the bold of Markdown."""

    def markdown(self) -> str:
        """A page."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""


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


def print_experiment(
    table: ExperimentTable, header: Sequence[str], output_format: options.TableFormat, texts: Container[int]
) -> None:
    """The table on stdout.   texts: columns that are not numbers."""
    from tunesmith.cli.table import print_table

    if output_format is options.TableFormat.json:
        put_json(table.as_dict(), indent=1)
    elif output_format is options.TableFormat.markdown:
        say(table.markdown(), end="")
    else:
        print_table(header, [[cell.strip("*") for cell in row] for row in table.rows()], texts=texts)
