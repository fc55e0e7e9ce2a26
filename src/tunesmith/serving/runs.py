"""Tuning runs and experiments of a folder, for the page: how they stand, their rounds, their reports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from tunesmith.errors import TunesmithError
from tunesmith.evaluation.comparison_report import comparison_page
from tunesmith.evaluation.run_comparison import compare_runs
from tunesmith.evaluation.run_record import RunRecord
from tunesmith.evaluation.run_report import run_page
from tunesmith.io import read_lines
from tunesmith.io.folders import is_at_work
from tunesmith.io.inside import inside
from tunesmith.serving.messages import HistoryAnswer, RoundRow, RunRow, RunsAnswer
from tunesmith.serving.refusals import RefusedError
from tunesmith.tuning.runs.finding import DEEPEST, find_runs, visible_folders
from tunesmith.tuning.runs.status import RunStatus, is_run_or_damaged, status

REPORT = "report.html"
_MOST = 500
_COMPARED = 8
"""Runs that one page compares: as many as there are colours of lines."""
_ABOUT = ("experiment.json", "study.json", "pipeline.json")
"""Files that say what an experiment, a study or a pipeline is."""
_STAGE = "stage.json"
"""A file in the folder of each stage of an experiment."""


class _Marker(msgspec.Struct):
    state: Literal["begun", "done"]


class Runs:
    """What is below a folder. Names in requests are looked up among what was listed; no other path is opened."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def listed(self) -> RunsAnswer:
        """List experiments and runs, in order of their names."""
        rows = [self._run(path) for path in self._runs()] + [
            self._experiment(path) for path in self._experiments()
        ]
        return RunsAnswer(sorted(rows, key=lambda row: row.name)[:_MOST])

    def history(self, name: str) -> HistoryAnswer:
        """Return the rounds of a run so far."""
        record = RunRecord(self._find(name, self._runs()))
        rounds = [
            RoundRow(row.round, row.score, row.length_ratio) for row in record.rounds if math.isfinite(row.score)
        ]
        return HistoryAnswer(name, record.state[0], record.metric_label, rounds)

    def report(self, names: Sequence[str]) -> str:
        """Return the report: of runs made from what is there now, of an experiment the one on disk.

        Of several runs it is their comparison with the first one.
        """
        runs = self._runs()
        if len(names) > 1:
            if len(set(names)) < len(names) or len(names) > _COMPARED:
                raise RefusedError(400, f"name different runs to compare, at most {_COMPARED}")
            found = [RunRecord(self._find(name, runs)) for name in names]
            return comparison_page(compare_runs(found))
        [name] = names
        path = self._find(name, [*runs, *self._experiments()])
        if path in runs:
            return run_page(RunRecord(path))
        if not (path / REPORT).is_file():
            raise RefusedError(404, f"{name} has no report yet")
        return "\n".join(read_lines(inside(path) / REPORT))  # a link inside of the folder is refused

    def _find(self, name: str, among: list[Path]) -> Path:
        found = next((path for path in among if self._name(path) == name), None)
        if found is None:
            raise RefusedError(404, f"no run or experiment is called {name!r}")
        return found

    def _name(self, path: Path) -> str:
        relative = path.relative_to(self._folder).as_posix()
        return self._folder.resolve().name if relative == "." else relative

    def _runs(self) -> list[Path]:
        return find_runs([self._folder])

    def _experiments(self) -> list[Path]:
        """Return folders of experiments; tuning runs inside of them are listed on their own."""
        found, level = [], [self._folder]
        for _ in range(DEEPEST + 1):
            found += [each for each in level if not is_run_or_damaged(each) and _is_experiment(each)]
            level = [entry for each in level for entry in visible_folders(each)]
        return sorted(found)

    def _experiment(self, path: Path) -> RunRow:
        report, running = path / REPORT, is_at_work(path)
        written = report.stat().st_mtime if report.is_file() else 0.0
        done, working = _stages(path) if running else (0, "")
        state = "running" if running else "has a report" if written else "unfinished"
        return RunRow(
            self._name(path), "experiment", state, report=written > 0, done=done, working=working, written=written
        )

    def _run(self, path: Path) -> RunRow:
        name = self._name(path)
        try:
            found: RunStatus = status(path)
        except TunesmithError:
            return RunRow(name, "run", "damaged")
        return RunRow(
            name, "run", found.state, found.recipe, found.round, found.rounds, found.best_round, found.best_score,
            found.metric, found.seconds, report=True,
        )  # fmt: skip


def _stages(folder: Path) -> tuple[int, str]:
    """Return how many stages of an experiment are done, and the name of one that has begun."""
    done, working = 0, ""
    for path in sorted(folder.rglob(_STAGE)):
        stage = path.relative_to(folder)
        try:
            marker = msgspec.json.decode((inside(folder) / stage).read_bytes(), type=_Marker)
        except (TunesmithError, OSError, msgspec.DecodeError):  # it is being written or removed
            continue
        if marker.state == "done":
            done += 1
        else:
            working = stage.parent.as_posix()
    return done, working


def _is_experiment(folder: Path) -> bool:
    return any((folder / name).is_file() for name in _ABOUT)
