"""What is to be said while a job is opened."""

from __future__ import annotations


class JobObserver:
    """Watches a job being opened; does nothing unless a method is overridden."""

    def note(self, text: str) -> None:
        """What was read or done."""

    def remark(self, text: str) -> None:
        """Something about the data that a user should know."""

    def progress(self, what: str, done: int, total: int) -> None:
        """How far a step is that takes a while."""
