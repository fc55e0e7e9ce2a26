"""Who watches a run."""

from __future__ import annotations

from tunesmith.tuning.loop.history import History, Round


class Observer:
    """Who watches a run; does nothing unless a method is overridden."""

    def resumed(self, history: History, number: int, step: str) -> None:
        """A run resumes with this step of this round."""

    def step(self, number: int, name: str) -> None:
        """A step begins."""

    def progress(self, done: int, total: int, unit: str) -> None:
        """So much of the step at work is done; sentences decoded, passes made."""

    def round(self, row: Round, history: History) -> None:
        """A round has ended."""

    def finished(self, history: History) -> None:
        """The run has ended, now or in an earlier call."""

    def note(self, text: str) -> None:
        """Something a user should know."""

    def warn(self, text: str) -> None:
        """Something that makes the result worthless unless it is meant; a note where nothing else is done."""
        self.note(text)
