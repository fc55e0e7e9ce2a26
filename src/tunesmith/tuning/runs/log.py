"""The log of a run directory, in addition to another observer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tunesmith.tuning.loop.history import History
from tunesmith.tuning.loop.loop import Position
from tunesmith.tuning.loop.observer import Observer
from tunesmith.tuning.runs import directory as run_directory


class RunLog(Observer):
    """Observer that passes events to another one, and writes them to the log of the run directory, if any."""

    def __init__(self, observer: Observer) -> None:
        self._observer = observer
        self.folder: Path | None = None

    def _write(self, text: str) -> None:
        if self.folder is not None:
            run_directory.append_log(self.folder, text)

    def resumed(self, history: History, number: int, step: str) -> None:
        self._write(f"resumed at round {number}, {step}")
        self._observer.resumed(history, number, step)

    def step(self, number: int, name: str) -> None:
        self._write(f"round {number}: {name}")
        self._observer.step(number, name)

    def progress(self, done: int, total: int, unit: str) -> None:
        self._observer.progress(done, total, unit)

    def round(self, row: Any, history: History) -> None:
        self._write(f"round {row.round}: {row.as_dict()}")
        self._observer.round(row, history)

    def note(self, text: str) -> None:
        self._write(f"note: {text}")
        self._observer.note(text)

    def warn(self, text: str) -> None:
        self._write(f"warning: {text}")
        self._observer.warn(text)

    def ended(self, position: Position | None) -> None:
        if position is not None and position.finished is not None:
            self._observer.finished(position.history)
            best = position.history.best
            self._write(f"finished: {position.finished}; best round {None if best is None else best.round}")
