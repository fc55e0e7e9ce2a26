"""Stages of a comparison of tunings: models first, then as many tunings at once as there are threads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from tunesmith.experiments.laboratory import Laboratory
from tunesmith.experiments.parallel import Budget, raise_failures, run_at_once, shared_out
from tunesmith.experiments.stages import Stage, StageObserver, is_done

SCORES = "-scores"
"""Suffix of the names of stages whose results the table shows."""


def run_staged(
    folder: Path,
    laboratory: Laboratory,
    models: Sequence[Stage],
    stages: Sequence[Stage],
    observer: StageObserver | None,
    *,
    threads: int,
    minutes: float | None,
    publish: Callable[[], None],
) -> Mapping[str, Exception]:
    """Run missing stages; returns failures of stages after the models by name.

    minutes: processor time after which no further stage begins.   publish: called whenever a tuning is scored.
    """
    raise_failures(run_at_once(folder, models, observer))
    jobs = sum(not is_done(folder, stage) and stage.resumable for stage in stages)
    workers, laboratory.threads = shared_out(threads, jobs)

    def after(stage: Stage) -> None:
        if stage.name.endswith(SCORES):
            publish()

    budget = Budget(folder, stages, minutes)
    return run_at_once(folder, stages, observer, workers=workers, after=after, may_start=budget.is_left)
