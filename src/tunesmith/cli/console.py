"""Messages and progress for users, on stderr; silent with `-q` or when stderr is not a terminal."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator

from tunesmith.cli.printing import one_message, tell, terminal, visible_cell, watched


def remark(message: str, *, quiet: bool = False) -> None:
    """Print on stderr a remark about the data that the user should know."""
    note(f"tunesmith: note: {one_message(message)}", quiet=quiet)


def warn(message: str) -> None:
    """Print on stderr what makes the result worthless unless it is meant; printed also with -q."""
    tell(f"tunesmith: warning: {one_message(message)}")


def note(message: str, *, quiet: bool = False) -> None:
    """Print one line on stderr: what was done, how long it took."""
    if not quiet:
        tell(message)


@contextlib.contextmanager
def progress(title: str, *, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Show a progress bar on stderr, driven by the callback (done, total); nothing if stderr is not a terminal."""
    if quiet or not watched(sys.stderr):
        yield lambda done, total: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=terminal(stderr=True), transient=True) as bar:
        task = bar.add_task(visible_cell(title), total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextlib.contextmanager
def counting(title: str, unit: str, *, quiet: bool = False) -> Iterator[Callable[[int], None]]:
    """Show how many are done and how fast, where the end is not known; the callback takes the number done.

    Nothing where stderr is not a terminal. Results must go elsewhere: they would run into each other.
    """
    if quiet or not watched(sys.stderr):
        yield lambda done: None
        return
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=terminal(stderr=True), transient=True) as bar:
        task = bar.add_task(visible_cell(title), total=None)
        begin = time.perf_counter()

        def advance(done: int) -> None:
            rate = done / max(time.perf_counter() - begin, 1e-3)
            bar.update(
                task, completed=done, description=f"{visible_cell(title)}: {done} {unit}, {rate:.1f} a second"
            )

        yield advance
