"""What is said while a tuning job is opened."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tunesmith.cli.console import note, progress, remark

if TYPE_CHECKING:
    from tunesmith.jobs.observer import JobObserver


@contextlib.contextmanager
def progress_of_job(*, quiet: bool) -> Iterator[JobObserver]:
    """Print notes on stderr as they come, and a progress bar for steps that take a while."""
    from tunesmith.jobs.observer import JobObserver

    with contextlib.ExitStack() as stack:
        bars: dict[str, Callable[[int, int], None]] = {}

        class Printed(JobObserver):
            def note(self, text: str) -> None:
                note(text, quiet=quiet)

            def remark(self, text: str) -> None:
                remark(text, quiet=quiet)

            def progress(self, what: str, done: int, total: int) -> None:
                if what not in bars:
                    bars[what] = stack.enter_context(progress(what, quiet=quiet))
                bars[what](done, total)

        yield Printed()
