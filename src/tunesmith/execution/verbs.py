"""Commands of tunesmith as work: a worker runs one in a process of its own, in the driver's folder."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import msgspec

from tunesmith.errors import FormatError
from tunesmith.execution import children
from tunesmith.execution.packets import Packet
from tunesmith.execution.work import Work, kinds

_SAID = 20
"""Last lines of its messages that come back."""


class Command(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A command.   words: after `tunesmith`.   folder: where it is run.   threaded: takes the worker's threads."""

    words: tuple[str, ...]
    folder: str
    threaded: bool = False


class Ended(NamedTuple):
    """A command that has ended.   said: the last lines of its messages."""

    code: int
    printed: str
    said: list[str]


@kinds.register("verb")
class Verb(Work[Command, Ended], frozen=True):
    """Runs commands; the result of a block is how its command ended. They see the driver's files by path."""

    block: ClassVar[Any] = Command

    def open(self, threads: int) -> Callable[[Command], Ended]:
        def do(command: Command) -> Ended:
            words = [*command.words, *([f"--threads={threads}"] if command.threaded else [])]
            code, printed, said = children.run(
                [sys.executable, "-m", "tunesmith", *words], "", folder=command.folder
            )
            return Ended(code, printed, said.splitlines()[-_SAID:])

        return do

    def receive(self, packet: Packet) -> Ended:
        try:
            return msgspec.convert(packet.values, Ended)
        except msgspec.ValidationError as error:
            raise FormatError(f"what a worker says of a command cannot be used: {error}") from None

    def name_of(self, block: Command) -> str:
        return " ".join(block.words[:1])
