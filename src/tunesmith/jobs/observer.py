"""Observers of the opening of jobs."""

from __future__ import annotations


class JobObserver:
    """Observer of the opening of a job; does nothing unless a method is overridden."""

    def note(self, text: str) -> None:
        """Called with what was read or done."""

    def remark(self, text: str) -> None:
        """Called with a note about the data for the user."""

    def progress(self, what: str, done: int, total: int) -> None:
        """Called with progress of a long step."""
