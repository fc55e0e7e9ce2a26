"""Status of tuning runs, from their folders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from tunesmith.errors import IrregularFileError, MissingFileError, TunesmithError
from tunesmith.io import StrPath
from tunesmith.io.documents import convert, read_document
from tunesmith.io.inside import inside
from tunesmith.tuning.loop.history import read_history
from tunesmith.tuning.messages import RESTART
from tunesmith.tuning.runs.directory import FAILURE, HISTORY, LOCK, ROUNDS, SETTINGS, STATE, is_locked, is_run
from tunesmith.tuning.runs.documents import FailureDocument, RunSettings, SettingsDocument, StateDocument

T = TypeVar("T")


@dataclass(frozen=True)
class RunStatus:
    """Status of a run: running, finished, failed, interrupted (repeating the command resumes it), or damaged.

    reason: why it is finished, failed or damaged. A damaged run has the fields that can be read.
    """

    path: str
    state: str
    recipe: str
    metric: str
    round: int
    rounds: int
    best_round: int | None
    best_score: float | None
    seconds: float
    reason: str | None

    def as_dict(self) -> dict[str, Any]:
        return dict(vars(self))


def is_run_or_damaged(folder: Path) -> bool:
    """Return whether the folder is a tuning run, possibly with damaged settings."""
    if is_run(folder):
        return True
    home = inside(folder)
    try:
        return (home / SETTINGS).is_file() and any(
            (home / name).exists() for name in (STATE, HISTORY, ROUNDS, LOCK)
        )
    except IrregularFileError:  # with one of these names
        return True


def status(path: StrPath) -> RunStatus:
    """Determine the status of the run in this folder; reads small files only and changes nothing."""
    folder = inside(path)
    if not is_run_or_damaged(folder):
        raise MissingFileError(f"{folder}: is not the folder of a tuning run (there is no {SETTINGS} of one)")
    damage: list[str] = []

    def read(name: str, reader: Callable[[Path], T]) -> T | None:
        """Read a file; None if it is missing, or damaged, which is noted."""
        try:
            return reader(folder / name) if (folder / name).exists() else None
        except TunesmithError as error:
            damage.append(str(error))
            return None

    # --restart does not empty a folder that may hold other data.
    advice = RESTART if is_run(folder) else "remove the folder and start the run again"
    settings = read(SETTINGS, lambda file: _settings(file, advice)) or RunSettings()
    state = read(STATE, lambda file: read_document(file, StateDocument, RESTART))
    rows = read(HISTORY, read_history) or []
    failure = read(FAILURE, lambda file: read_document(file, FailureDocument, RESTART))
    best = next((row for row in rows if state is not None and row.round == state.best), None)
    reason: str | None = None
    if is_locked(folder):
        word = "running"
    elif damage:
        word, reason = "damaged", damage[0]
    elif state is not None and state.finished is not None:
        word, reason = "finished", state.finished
    else:
        word, reason = ("failed", failure.message) if failure else ("interrupted", None)
    return RunStatus(
        path=str(folder),
        state=word,
        recipe=settings.recipe,
        metric=settings.metric.name,
        round=rows[-1].round if rows else 0,
        rounds=settings.rounds,
        best_round=best.round if best else None,
        best_score=best.score if best and best.score == best.score else None,
        seconds=round(sum(row.seconds for row in rows if row.seconds == row.seconds), 3),
        reason=reason,
    )


def _settings(path: Path, advice: str) -> RunSettings:
    document = read_document(path, SettingsDocument, advice)
    return convert(document.settings, RunSettings, path, advice)
