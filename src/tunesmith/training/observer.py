"""Observers of training."""

from __future__ import annotations


class TrainingObserver:
    """Observer of training that ignores all events. Derive from it to show progress."""

    def started(self, step: str, why: str) -> None:
        """Called when a step begins.   why: the reason to run it."""

    def progress(self, done: int, total: int) -> None:
        """Called when `done` of `total` are finished in this step."""

    def remark(self, message: str) -> None:
        """Called with a note about the data for the user."""

    def finished(self, step: str, summary: str, seconds: float) -> None:
        """Called when a step is done."""

    def skipped(self, step: str) -> None:
        """Called for a step that was already done."""
