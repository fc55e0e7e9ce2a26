"""Observers of training."""

from __future__ import annotations


class TrainingObserver:
    """Receives what happens in training, and ignores it. Derive from it to show progress."""

    def started(self, step: str, why: str) -> None:
        """A step begins. why: the reason to run it."""

    def progress(self, done: int, total: int) -> None:
        """`done` of `total` are finished in this step."""

    def remark(self, message: str) -> None:
        """Something about the data that the user should know."""

    def finished(self, step: str, summary: str, seconds: float) -> None:
        """A step is done."""

    def skipped(self, step: str) -> None:
        """A step was done before."""
