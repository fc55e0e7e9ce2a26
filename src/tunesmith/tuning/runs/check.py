"""Run directories for `tunesmith check`."""

from __future__ import annotations

from pathlib import Path

from tunesmith.io.checks import OLD, Report, formats
from tunesmith.io.documents import is_sealed, read_document
from tunesmith.tuning.loop.history import read_history
from tunesmith.tuning.messages import RESTART
from tunesmith.tuning.runs import directory as run
from tunesmith.tuning.runs.checksums import damaged
from tunesmith.tuning.runs.documents import StateDocument
from tunesmith.tuning.runs.group_files import GROUPS, MEMBERS, has_checksum


@formats.register("table of groups")
class GroupTableCheck:
    """`groups.tsv` or `members.tsv` of a round."""

    noun = "a table of groups"

    def recognises(self, path: Path) -> bool:
        return path.name in (GROUPS, MEMBERS) and path.is_file()

    def verify(self, path: Path, report: Report) -> None:
        """Verify every byte, where there is a checksum line."""
        if has_checksum(path):
            report.is_whole(path)
        else:
            report.has_no_checksum(path, OLD)


@formats.register("tuning run")
class RunCheck:
    """Settings, position, weights and candidate sets of a tuning run."""

    noun = "a run directory"

    def recognises(self, path: Path) -> bool:
        """Recognise a run by its settings, or by its position and rounds where those are damaged."""
        return run.is_run(path) or ((path / run.STATE).is_file() and (path / run.ROUNDS).is_dir())

    def verify(self, path: Path, report: Report) -> None:
        """Verify everything that `state.json` has a checksum of; then weights and candidate sets."""
        for name in (run.SETTINGS, run.FAILURE):
            if name == run.SETTINGS or (path / name).exists():
                with report.reading(path / name):
                    run.read_json(path / name)
                    report.has_no_checksum(path / name, f"there is no {run.STATE} with one yet")
        if (path / run.HISTORY).exists():
            with report.reading(path / run.HISTORY):
                read_history(path / run.HISTORY)
        if (path / run.STATE).exists():
            with report.reading(path / run.STATE):
                self._state(path, report)
        report.rest(path)

    def _state(self, path: Path, report: Report) -> None:
        state = read_document(path / run.STATE, StateDocument, RESTART)
        if not is_sealed(path / run.STATE):
            report.has_no_checksum(path / run.STATE, OLD)
            return
        report.is_whole(path / run.STATE)
        for name, wrong in damaged(path, state):
            if wrong is None:
                report.unsealed.pop(path / name, None)
                report.is_whole(path / name)
            else:
                report.is_damaged(path / name, wrong)
        for place in state.pools.values():
            report.part(path / place)
        rounds = [f"{run.round_folder(number)}/{run.WEIGHTS}" for number in range(state.rows)]
        for name in (*rounds, *((run.WEIGHTS,) if state.best is not None else ())):
            report.part(path / name)
