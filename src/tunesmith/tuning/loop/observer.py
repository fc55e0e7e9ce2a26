"""Observers of tuning runs."""

from __future__ import annotations

from tunesmith.tuning.loop.history import History, Round


class Observer:
    """Observer of a run; does nothing unless a method is overridden."""

    def resumed(self, history: History, number: int, step: str) -> None:
        """Called when a run resumes with this step of this round."""

    def step(self, number: int, name: str) -> None:
        """Called when a step begins."""

    def progress(self, done: int, total: int, unit: str) -> None:
        """Called with progress of the current step, such as decoded sentences or passes."""

    def round(self, row: Round, history: History) -> None:
        """Called when a round has ended."""

    def finished(self, history: History) -> None:
        """Called when the run has ended, now or in an earlier call."""

    def note(self, text: str) -> None:
        """Called with a note for the user."""

    def warn(self, text: str) -> None:
        """Called with a warning that may make the result worthless; by default passed to `note`."""
        self.note(text)
