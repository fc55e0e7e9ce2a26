"""What a pipeline asks of the program that runs its stages: which options a verb has, and to run one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True)
class OptionForm:
    """An option or argument of a verb.

    on: the option that sets it, None for an argument.   off: that unsets a flag.   file: its value is a path that
    must exist, or only one if it exists (`maybe_file`).   repeated: takes several values.
    """

    key: str
    on: str | None
    off: str | None = None
    flag: bool = False
    file: bool = False
    maybe_file: bool = False
    repeated: bool = False


class CommandError(Exception):
    """Words that a verb refuses.   key: of the option that is wrong, None where it is another thing."""

    def __init__(self, message: str, key: str | None) -> None:
        super().__init__(message)
        self.message, self.key = message, key


class Commands(Protocol):
    """Verbs that can be run."""

    def forms(self, verb: str) -> Mapping[str, OptionForm]:
        """Options and arguments of a verb by key, the long name without dashes in front."""

    def check(self, words: Sequence[str]) -> None:
        """Raise CommandError for words that the verb refuses before it does anything."""

    def shown(self, words: Sequence[str]) -> str:
        """The command to copy."""

    def run(self, words: Sequence[str], output: Path | None) -> None:
        """Run a command; what it prints goes to `output`. TunesmithError where it fails."""
