"""Observers that write the history of a run for other programs: a table as CSV, curves for TensorBoard."""

from __future__ import annotations

import csv
import math
import os
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from tunesmith.checks import kind_of
from tunesmith.errors import MissingExtraError, WrongTypeError
from tunesmith.io import StrPath, atomic_writer, make_folder
from tunesmith.tuning.loop.history import History, Round
from tunesmith.tuning.loop.observer import Observer

GivenObserver: TypeAlias = Observer | Sequence[Observer] | None


class Observers(Observer):
    """Several observers of one run."""

    def __init__(self, observers: Iterable[Observer]) -> None:
        self.observers = tuple(observers)

    def resumed(self, history: History, number: int, step: str) -> None:
        for each in self.observers:
            each.resumed(history, number, step)

    def step(self, number: int, name: str) -> None:
        for each in self.observers:
            each.step(number, name)

    def progress(self, done: int, total: int, unit: str) -> None:
        for each in self.observers:
            each.progress(done, total, unit)

    def round(self, row: Round, history: History) -> None:
        for each in self.observers:
            each.round(row, history)

    def finished(self, history: History) -> None:
        for each in self.observers:
            each.finished(history)

    def note(self, text: str) -> None:
        for each in self.observers:
            each.note(text)

    def warn(self, text: str) -> None:
        for each in self.observers:
            each.warn(text)


def observer_of(given: GivenObserver) -> Observer:
    """Combine none, one or several observers to one."""
    if given is None:
        return Observer()
    if isinstance(given, Observer):
        return given
    if isinstance(given, (list, tuple)) and all(isinstance(each, Observer) for each in given):
        return Observers(given)
    raise WrongTypeError(f"observer must be an Observer or a list of them, got {kind_of(given)}")


class CsvObserver(Observer):
    """The history as a CSV file, written again after every round, whole or not at all.

    A column for each field of a round and each detail that some round has; a missing value is an empty cell.
    """

    def __init__(self, path: StrPath) -> None:
        self._path = path

    def resumed(self, history: History, number: int, step: str) -> None:
        self._write(history)

    def round(self, row: Round, history: History) -> None:
        self._write(history)

    def finished(self, history: History) -> None:
        self._write(history)

    def _write(self, history: History) -> None:
        rows = [row.flat() for row in history]
        columns = list(dict.fromkeys(name for each in rows for name in each))
        with atomic_writer(self._path) as out:
            table = csv.DictWriter(out, columns, restval="", lineterminator="\n")
            table.writeheader()
            table.writerows(rows)


class TensorBoardObserver(Observer):
    """The history as curves in a folder that TensorBoard reads, by tensorboardX or `torch.utils.tensorboard`.

    `score` is the score on dev, `list_score` the score on the pool; details have the prefix `details/`. A resumed
    run writes the curves again, in place of earlier ones.
    """

    def __init__(self, folder: StrPath) -> None:
        self._folder = os.fspath(folder)
        self._make = _summary_writer()
        self._writer: Any = None

    def resumed(self, history: History, number: int, step: str) -> None:
        self._open()
        for row in history:
            self._add(row)

    def round(self, row: Round, history: History) -> None:
        if self._writer is None:
            self._open()
        self._add(row)

    def finished(self, history: History) -> None:
        if self._writer is None:  # the run had already ended
            self.resumed(history, len(history), "")
        self._writer.close()

    def _open(self) -> None:
        self._writer = self._make(os.fspath(make_folder(self._folder)), purge_step=0)

    def _add(self, row: Round) -> None:
        for name, value in row.flat().items():
            if name != "round" and value is not None and math.isfinite(value):
                self._writer.add_scalar(name, value, row.round)
        self._writer.flush()


def _summary_writer() -> Any:
    try:
        from tensorboardX import SummaryWriter
    except ImportError:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError:
            raise MissingExtraError("TensorBoardObserver", "tensorboardX", "tensorboard") from None
    return SummaryWriter
