"""How tuning runs stand, told from their folders."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tunesmith.errors import MissingFileError
from tunesmith.io import StrPath
from tunesmith.io.inside import inside
from tunesmith.tuning.history import Round, read_history
from tunesmith.tuning.run_directory import FAILURE, HISTORY, SETTINGS, STATE, is_locked, is_run, read_json


@dataclass(frozen=True)
class RunStatus:
    """How a run stands: running, finished, failed, or interrupted (to be continued by the same command)."""

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
        """The fields for JSON."""
        return dict(vars(self))


def status(path: StrPath) -> RunStatus:
    """How the run in this folder stands; reads small files only and changes nothing."""
    folder = inside(path)
    if not is_run(folder):
        raise MissingFileError(f"{folder}: is not the folder of a tuning run (there is no {SETTINGS} of one)")
    settings = read_json(folder / SETTINGS).get("settings", {})
    state = read_json(folder / STATE) if (folder / STATE).exists() else {}
    rows: list[Round] = read_history(folder / HISTORY) if (folder / HISTORY).exists() else []
    failure = read_json(folder / FAILURE) if (folder / FAILURE).exists() else None
    best = next((row for row in rows if row.round == state.get("best")), None)
    reason = state.get("finished")
    if is_locked(folder):
        word = "running"
    elif reason is not None:
        word = "finished"
    else:
        word, reason = ("failed", str(failure.get("message"))) if failure else ("interrupted", None)
    return RunStatus(
        path=str(folder),
        state=word,
        recipe=str(settings.get("recipe", "")),
        metric=str(_nested(settings, "metric", "name")),
        round=rows[-1].round if rows else 0,
        rounds=int(settings.get("rounds", 0)),
        best_round=best.round if best else None,
        best_score=best.score if best else None,
        seconds=round(sum(row.seconds for row in rows), 3),
        reason=reason,
    )


def _nested(settings: Mapping[str, Any], *keys: str) -> Any:
    value: Any = settings
    for key in keys:
        value = value.get(key, "") if isinstance(value, Mapping) else ""
    return value
