"""Who is told how training goes."""

from __future__ import annotations


class Observer:
    """Is told what happens; this one does not care. Derive from it to show progress."""

    def started(self, step: str, why: str) -> None:
        """A step begins, because."""

    def progress(self, done: int, total: int) -> None:
        """So much of the step is done."""

    def remark(self, message: str) -> None:
        """Something about the data that the user should know."""

    def finished(self, step: str, summary: str, seconds: float) -> None:
        """A step is done."""

    def skipped(self, step: str) -> None:
        """A step was done before."""
