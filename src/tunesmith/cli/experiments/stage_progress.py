"""Progress of stages for users, on stderr."""

from __future__ import annotations

import time

from tunesmith.cli.console import note
from tunesmith.experiments.stages import Stage, StageObserver


def progress_of_stages(*, quiet: bool) -> StageObserver:
    """Print on stderr each stage with the time so far and the expected time left."""
    began = time.monotonic()

    class Printed(StageObserver):
        def started(self, stage: Stage, number: int, total: int, remaining: float | None) -> None:
            left = "" if remaining is None else f", about {_minutes(remaining)} to go"
            note(f"[{_minutes(time.monotonic() - began)}{left}] {stage.name} ({number}/{total})", quiet=quiet)

        def note(self, text: str) -> None:
            note(f"    {text}", quiet=quiet)

    return Printed()


def _minutes(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"
