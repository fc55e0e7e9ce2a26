"""Interface of a pipeline to the program that runs its stages: options of verbs, and running them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class OptionForm:
    """An option or argument of a verb.

    on: the option that sets it, None for an argument.
    off: that unsets a flag. file: its value is a path that must exist, or only one if it exists (`maybe_file`).
        repeated: takes several values.
    """

    key: str
    on: str | None
    off: str | None = None
    flag: bool = False
    file: bool = False
    maybe_file: bool = False
    repeated: bool = False


class CommandError(Exception):
    """Words that a verb refuses.   key: of the invalid option, None for other errors."""

    def __init__(self, message: str, key: str | None) -> None:
        super().__init__(message)
        self.message, self.key = message, key


class Commands(Protocol):
    """Protocol of runnable verbs."""

    def forms(self, verb: str) -> Mapping[str, OptionForm]:
        """Return options and arguments of a verb by key, the long name without dashes in front."""

    def check(self, words: Sequence[str]) -> None:
        """Raise CommandError for words that the verb refuses before any work."""

    def shown(self, words: Sequence[str]) -> str:
        """Format the command for copying."""

    def run(self, words: Sequence[str], output: Path | None) -> None:
        """Run a command with output to `output`; TunesmithError if it fails."""
