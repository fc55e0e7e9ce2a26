"""Progress of a tuning run for users, on stderr: a live table on a terminal, a line a round elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tunesmith.cli.console import note, remark, warn
from tunesmith.cli.printing import terminal, visible, visible_cell, watched
from tunesmith.errors import shortened
from tunesmith.tuning.loop.observer import Observer

if TYPE_CHECKING:
    from rich.table import Table

    from tunesmith.tuning.loop.history import History, Round

HEADER = ("round", "candidates", "new", "list", "dev", "length", "norm", "active", "groups", "seconds")
OFTEN = 60.0
"""Seconds between two lines about one step, where there is no terminal."""


def cells(row: Round) -> list[str]:
    """Return a round as texts, in the order of the header."""
    return [
        str(row.round),
        str(row.candidates) if row.round else "",
        f"+{row.new}" if row.round else "",
        "" if row.list_score is None else f"{row.list_score:.2f}",
        f"{row.score:.2f}",
        "" if row.length_ratio is None else f"{row.length_ratio:.3f}",
        f"{row.norm:.3g}",
        str(row.active),
        f"{row.details['active_groups']:.0f}" if "active_groups" in row.details else "",
        f"{row.seconds:.1f}",
    ]


def progress_of_tuning(*, quiet: bool) -> PlainLines:
    """Return the observer that reports on a run in this terminal or log."""
    return LiveTable(quiet=quiet) if watched(sys.stderr) and not quiet else PlainLines(quiet=quiet)


class StepProgress:
    """The step at work: what it is, how far it is, how long it may still take."""

    def __init__(self, name: str = "") -> None:
        self.name, self.since = name, time.monotonic()
        self.done = self.total = 0
        self.unit = ""

    def __str__(self) -> str:
        """Return a line such as `round 3: decode train, 1200 of 10000 sentences (65 s, 8 min left)`."""
        passed = time.monotonic() - self.since
        if not self.total:
            return f"{self.name} ({passed:.0f} s)"
        left = passed / self.done * (self.total - self.done) if self.done else None
        told = "" if left is None else f", {duration(left)} left"
        return f"{self.name}, {self.done} of {self.total} {self.unit} ({passed:.0f} s{told})"


def duration(seconds: float) -> str:
    """Return a time for users who wait: 40 s, 12 min, 3.5 h."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


class PlainLines(Observer):
    """A line for each round, and now and then one for a long step."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._doing, self._told = StepProgress(), time.monotonic()

    def __enter__(self) -> PlainLines:
        return self

    def __exit__(self, *error: Any) -> None:
        """End without output: nothing was drawn."""

    def resumed(self, history: History, number: int, step: str) -> None:
        note(f"resumes at round {number}, {step}", quiet=self._quiet)

    def step(self, number: int, name: str) -> None:
        self._doing = StepProgress(f"round {number}: {name}")
        self._told = self._doing.since

    def progress(self, done: int, total: int, unit: str) -> None:
        """Say how far a long step is."""
        self._doing.done, self._doing.total, self._doing.unit = done, total, unit
        if time.monotonic() - self._told > OFTEN:
            self._told = time.monotonic()
            note(str(self._doing), quiet=self._quiet)

    def round(self, row: Round, history: History) -> None:
        told = [f"{name} {cell}" for name, cell in zip(HEADER, cells(row), strict=True) if cell]
        note("  ".join(told), quiet=self._quiet)

    def note(self, text: str) -> None:
        remark(text, quiet=self._quiet)

    def warn(self, text: str) -> None:
        warn(text)


class LiveTable(PlainLines):
    """All rounds as a table that grows, with the step at work below it."""

    def __init__(self, *, quiet: bool) -> None:
        super().__init__(quiet=quiet)
        self._history: Sequence[Round] = ()
        self._best: int | None = None
        self._live: Any = None

    def __enter__(self) -> LiveTable:
        from rich.live import Live

        console = terminal(stderr=True)
        self._live = Live(get_renderable=self._table, console=console, refresh_per_second=4, redirect_stdout=False)
        self._live.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        """Leave the table on the screen as it is."""
        self._doing = StepProgress()
        self._live.__exit__(*error)

    def resumed(self, history: History, number: int, step: str) -> None:
        self._show(history)
        self.note(f"resumes at round {number}, {step}")

    def progress(self, done: int, total: int, unit: str) -> None:
        """Keep the progress until the table is drawn next."""
        self._doing.done, self._doing.total, self._doing.unit = done, total, unit

    def round(self, row: Round, history: History) -> None:
        self._show(history)

    def note(self, text: str) -> None:
        self._live.console.print(visible(shortened(f"tunesmith: note: {text}")))

    def warn(self, text: str) -> None:
        self._live.console.print(visible(shortened(f"tunesmith: warning: {text}")))

    def _show(self, history: History) -> None:
        self._history = tuple(history)
        self._best = None if history.best is None else history.best.round

    def _table(self) -> Table:
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text

        doing = Text(visible_cell(str(self._doing))) if self._doing.name else None
        table = Table(box=SIMPLE_HEAD, pad_edge=False, caption=doing, caption_justify="left")
        rows = [cells(row) for row in self._history]
        shown = [at for at, title in enumerate(HEADER) if title != "groups" or any(row[at] for row in rows)]
        for at in shown:
            table.add_column(HEADER[at], justify="right", no_wrap=True)
        for row, told in zip(self._history, rows, strict=True):
            table.add_row(*(told[at] for at in shown), style="bold" if row.round == self._best else None)
        return table
