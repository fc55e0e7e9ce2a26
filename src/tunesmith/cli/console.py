"""Messages and progress for people, on stderr; silent when asked to be or when nobody watches."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator


def remark(message: str, *, quiet: bool = False) -> None:
    """Something about the data that the user should know, on stderr."""
    note(f"tunesmith: note: {message}", quiet=quiet)


def note(message: str, *, quiet: bool = False) -> None:
    """One line on stderr: what was done, how long it took."""
    if not quiet:
        print(message, file=sys.stderr)


@contextlib.contextmanager
def progress(title: str, *, quiet: bool = False) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr, driven by the callback (done, total); nothing when stderr is not a terminal."""
    if quiet or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
