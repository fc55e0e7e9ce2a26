"""Stages at once: as many as there are workers; one that fails takes only those with it that need it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from pathlib import Path

from tunesmith.errors import TunesmithError
from tunesmith.experiments.stages import (
    Clock,
    Result,
    Stage,
    StageObserver,
    in_order,
    is_done,
    processor_seconds,
    run_stage,
)


class FailedStagesError(TunesmithError):
    """Some stages failed, for reasons of the user's data; those that do not need them are done."""


def shared_out(threads: int, jobs: int) -> tuple[int, int]:
    """Return numbers of jobs at once and of threads for each: never more than `threads` together."""
    workers = max(1, min(threads, jobs))
    return workers, max(1, threads // workers)


def run_at_once(
    root: Path,
    wanted: Iterable[Stage],
    observer: StageObserver | None = None,
    *,
    workers: int = 1,
    after: Callable[[Stage], None] = lambda stage: None,
    may_start: Callable[[], bool] = lambda: True,
) -> dict[str, Exception]:
    """Run what is not done; return the errors of the stages that failed, by name.

    after: called with every stage that was done.
    may_start: asked before a stage is begun; once it says no, those that run are waited for and the others left.
    Stages run in threads and their work is that of the core, which lets others run. What a stage leaves does not
    depend on what runs at the same time. What is not an `Exception` (the user pressed Ctrl-C) ends everything.
    """
    watcher = observer or StageObserver()
    stages = in_order(wanted)
    clock = Clock(root, stages, workers)
    waiting = [stage for stage in stages if not is_done(root, stage)]
    for stage in stages:
        if stage not in waiting:
            watcher.skipped(stage)
    numbers = {stage.name: at for at, stage in enumerate(stages, 1)}
    lost: set[str] = set()
    failed: dict[str, Exception] = {}
    running: dict[Future[tuple[Result, float]], Stage] = {}
    with ThreadPoolExecutor(workers) as pool:
        while waiting or running:
            if waiting and not may_start():
                watcher.note(f"the budget is spent; {len(waiting)} stages are left for another run")
                waiting.clear()
                if not running:
                    break
            for stage in list(waiting):
                if any(need.name in lost for need in stage.needs):
                    lost.add(stage.name)
                    waiting.remove(stage)
                    clock.drop(stage)
                elif len(running) < workers and not _held_up(stage, waiting, running.values()):
                    waiting.remove(stage)
                    watcher.started(stage, numbers[stage.name], len(stages), clock.remaining)
                    running[pool.submit(run_stage, root, stage, watcher)] = stage
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                stage = running.pop(future)
                error = future.exception()
                if error is None:
                    result, seconds = future.result()
                    clock.add(stage, seconds)
                    watcher.finished(stage, seconds, result)
                    after(stage)
                elif isinstance(error, Exception):
                    clock.drop(stage)
                    lost.add(stage.name)
                    failed[stage.name] = error
                    watcher.note(f"{stage.name} failed: {error}")
                else:
                    raise error
    return failed


class Budget:
    """Minutes of processor time, of stages that are done already and from now on; without limit if None."""

    def __init__(self, root: Path, stages: Iterable[Stage], minutes: float | None) -> None:
        self._left = float("inf")
        if minutes is not None:
            self._left = 60 * minutes - sum(processor_seconds(root, stage) for stage in stages)
        self._since = time.process_time()

    def is_left(self) -> bool:
        return time.process_time() - self._since < self._left


def raise_failures(failed: Mapping[str, Exception], kept: str = "") -> None:
    """Raise FailedStagesError, with every stage by name; our own bugs unchanged.   kept: results so far."""
    for error in failed.values():
        if not isinstance(error, TunesmithError | OSError):
            raise error
    if failed:
        reasons = "; ".join(f"{name}: {error}" for name, error in failed.items())
        raise FailedStagesError(f"{reasons}. {kept}" if kept else reasons)


def _held_up(stage: Stage, waiting: Iterable[Stage], running: Iterable[Stage]) -> bool:
    """Return whether something that the stage needs is still to be done."""
    open_names = {each.name for each in (*waiting, *running)}
    return any(need.name in open_names for need in stage.needs)
