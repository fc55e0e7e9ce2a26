"""An experiment as stages, each a folder that says what it was made from (see `resuming`).

A stage's key is a digest of its settings, the build of tunesmith and the keys of the stages it needs. Its folder
has a marker, `stage.json`: begun or done, with the key. Done with the same key, a stage is not run again; with
another key its folder is emptied and the stage run again, and so is whatever needs it. Results are a function of
the key (every seed is a setting), so that a run that was killed ends with the table of one that was not.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, NamedTuple

import msgspec

from tunesmith.build import build_digest
from tunesmith.errors import FormatError, MissingFileError
from tunesmith.io.digest import Digest
from tunesmith.io.documents import plain, read_document, write_document
from tunesmith.io.inside import inside
from tunesmith.io.leftovers import remove_tree
from tunesmith.io.verify import file_checksum, verified
from tunesmith.resuming import Stamp, stamp_now, why_again

MARKER = "stage.json"
AGAIN = "remove the folder of the stage to run it again"

Result = Mapping[str, Any]


class Marker(msgspec.Struct, kw_only=True):
    """`stage.json`.   processor_seconds: of all threads.   files: checksums of the arrays in the folder."""

    format: Literal[1]
    state: Literal["begun", "done"]
    key: str
    build: str = ""
    settings: dict[str, Any] = {}
    seconds: float | None = None
    processor_seconds: float | None = None
    result: dict[str, Any] | None = None
    files: dict[str, str] = {}


class StageResult(dict[str, Any]):
    """What a stage returned; a name that it lacks is damage of its marker."""

    def __init__(self, result: Mapping[str, Any], path: Path) -> None:
        super().__init__(result)
        self._path = path

    def __missing__(self, key: str) -> Any:
        raise FormatError(f"the result has no {key}; {AGAIN}", path=str(self._path))


@dataclass(frozen=True, eq=False)
class Stage:
    """A piece of an experiment.

    name: its folder below that of the run.   settings: everything its result depends on, as JSON can hold it.
    needs: stages whose folders or results it reads.
    run: does the work in a folder; what it returns (plain JSON) is kept as the result.
    resumable: a begun folder is handed to `run` again, which continues in it; otherwise it is emptied first.
    cost: how much work it is, in sentences decoded, for the estimate of time.
    """

    name: str
    settings: Mapping[str, Any]
    run: Callable[[Place], Result]
    needs: tuple[Stage, ...] = ()
    resumable: bool = False
    cost: float = 1.0

    @cached_property
    def key(self) -> str:
        parts = {
            "build": build_digest(),
            "name": self.name,
            "settings": self.settings,
            "needs": {stage.name: stage.key for stage in self.needs},
        }
        digest = Digest()
        digest.add(json.dumps(parts, sort_keys=True))
        return digest.hex(32)


class StageObserver:
    """Observer of an experiment; does nothing unless a method is overridden."""

    def started(self, stage: Stage, number: int, total: int, remaining: float | None) -> None:
        """Report that a stage begins.   remaining: estimated seconds of it and all later stages, or None."""

    def finished(self, stage: Stage, seconds: float, result: Result) -> None:
        """Report that a stage is done."""

    def skipped(self, stage: Stage) -> None:
        """Report that a stage was done before."""

    def note(self, text: str) -> None:
        """Report what a user should know; also what a stage says while it is at work."""


@dataclass(frozen=True)
class Place:
    """Where a stage works: its own folder, and those of the stages before it."""

    root: Path
    folder: Path
    observer: StageObserver = field(default_factory=StageObserver)

    def of(self, stage: Stage) -> Path:
        """Return the folder of a stage that is done."""
        return inside(self.root) / stage.name

    def result(self, stage: Stage) -> dict[str, Any]:
        """Return what a stage that is done returned."""
        folder = self.of(stage)
        return StageResult(read_marker(folder).result or {}, folder / MARKER)


def in_order(wanted: Iterable[Stage]) -> list[Stage]:
    """Return these stages and all that they need, each once, needed stages first."""
    found: dict[str, Stage] = {}

    def visit(stage: Stage) -> None:
        known = found.get(stage.name)
        if known is not None:
            assert known.key == stage.key, f"two stages are called {stage.name}"
            return
        for each in stage.needs:
            visit(each)
        found[stage.name] = stage

    for stage in wanted:
        visit(stage)
    return list(found.values())


def is_done(root: Path, stage: Stage) -> bool:
    """Return whether the stage was done with all that it depends on as it is now."""
    marker = _marker_before(inside(root) / stage.name)
    return marker is not None and marker.state == "done" and marker.key == stage.key


def processor_seconds(root: Path, stage: Stage) -> float:
    """Return what a stage that is done took, of all threads; 0 for one that is not."""
    marker = _marker_before(inside(root) / stage.name)
    done = marker is not None and marker.state == "done" and marker.key == stage.key
    return (marker.processor_seconds or 0.0) if marker is not None and done else 0.0


class PlannedStage(NamedTuple):
    """A stage by name, and whether it is done."""

    name: str
    done: bool


def planned(root: Path, stages: Iterable[Stage]) -> list[PlannedStage]:
    """Return what running these stages would find; nothing is written."""
    return [PlannedStage(stage.name, is_done(root, stage)) for stage in stages]


class Clock:
    """How long what is left will take: as long, for each sentence decoded, as what was done.

    workers: stages that run at once.
    """

    def __init__(self, root: Path, wanted: Iterable[Stage], workers: int = 1) -> None:
        self._left = sum(stage.cost for stage in in_order(wanted) if not is_done(root, stage))
        self._workers = workers
        self._spent = self._seconds = 0.0

    @property
    def remaining(self) -> float | None:
        """Seconds, None before anything was done."""
        return self._left * self._seconds / self._spent / self._workers if self._spent else None

    def add(self, stage: Stage, seconds: float) -> None:
        self.drop(stage)
        self._spent += stage.cost
        self._seconds += seconds

    def drop(self, stage: Stage) -> None:
        """Forget a stage that will not be done any more."""
        self._left = max(self._left - stage.cost, 0.0)


def run_stages(
    root: Path, wanted: Iterable[Stage], observer: StageObserver | None = None, clock: Clock | None = None
) -> None:
    """Run what is not done, in order; each stage that ends well is kept whatever happens after it."""
    watcher = observer or StageObserver()
    stages = in_order(wanted)
    clock = Clock(root, stages) if clock is None else clock
    for number, stage in enumerate(stages, 1):
        if is_done(root, stage):
            watcher.skipped(stage)
            continue
        watcher.started(stage, number, len(stages), clock.remaining)
        result, seconds = run_stage(root, stage, watcher)
        clock.add(stage, seconds)
        watcher.finished(stage, seconds, result)


def run_stage(root: Path, stage: Stage, observer: StageObserver) -> tuple[Result, float]:
    """Run one stage whose needs are done, in its folder, and mark it as done; its result, and the seconds."""
    folder = inside(root) / stage.name
    marker = Marker(format=1, state="begun", key=stage.key, build=build_digest(), settings=dict(stage.settings))
    before = _marker_before(folder)
    if before is not None and (why := _outdated(before, stage)):
        observer.note(f"{stage.name} is run again: {why}")
    if not (stage.resumable and before is not None and before.key == stage.key):
        remove_tree(folder)
        folder.mkdir(parents=True)
        write_document(folder / MARKER, marker, seal=True)
    since, worked = time.perf_counter(), time.process_time()
    result: dict[str, Any] = plain(dict(stage.run(Place(root, folder, observer))))
    seconds = time.perf_counter() - since
    write_document(
        folder / MARKER,
        msgspec.structs.replace(
            marker,
            state="done",
            seconds=round(seconds, 3),
            processor_seconds=round(time.process_time() - worked, 3),
            result=result,
            files={path.name: file_checksum(path) for path in sorted(folder.glob("*.npy"))},
        ),
        seal=True,
    )
    return result, seconds


def _marker_before(folder: Path) -> Marker | None:
    try:
        return read_marker(folder)
    except FormatError:
        return None


def _outdated(before: Marker, stage: Stage) -> str | None:
    """Return why what an earlier run has left is not the result; None where it is, or the beginning of it."""
    if before.key == stage.key:
        return None
    stamp: Stamp = {**stamp_now(before.settings), "build": before.build}
    return why_again(stamp, stage.settings) or "a stage that it needs has changed"


def read_marker(folder: Path) -> Marker:
    """Return the marker of a stage's folder; FormatError where there is none that can be read."""
    path = folder / MARKER
    try:
        marker = read_document(path, Marker, AGAIN)
    except MissingFileError as error:
        raise FormatError(f"{error}; {AGAIN}") from None
    if marker.state == "done" and marker.result is None:
        raise FormatError(f"has no result; {AGAIN}", path=str(path))
    return marker


def verify_file(folder: Path, name: str) -> None:
    """Compare an array of a stage that is done with the checksum in its marker; earlier versions wrote none."""
    if (folder / MARKER).exists() and (wanted := read_marker(folder).files.get(name)) is not None:
        for _ in verified(folder / name, wanted):
            pass
