"""Work that has a description: it can be sent to another process as text, opened there, and done block by block.

A kind of work is a frozen `msgspec.Struct` that derives from `Work`. Its fields say everything that the result
depends on besides the blocks; folders are named with digests of what is in them. `execution.map` does it on this
machine; results come in the order of the blocks, so nothing depends on which worker did which block.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import msgspec

from tunesmith.checks import at_least
from tunesmith.errors import ConfigError, FormatError
from tunesmith.registry import Registry

Block = TypeVar("Block")
Result = TypeVar("Result")


class Work(msgspec.Struct, Generic[Block, Result], frozen=True, forbid_unknown_fields=True):
    """A kind of work; registered by name, which its text begins with."""

    @abstractmethod
    def open(self, threads: int) -> Callable[[Block], Result]:
        """Make ready what all blocks need, in the process that does them; returns what does one block.

        threads: how many a block may use. The result must not depend on them.
        """


kinds: Registry[Work[Any, Any]] = Registry("kind of work", "tunesmith.work")


class Opened(Work[Block, Result], frozen=True):
    """Work with what it needs open in this process already: a model with weights that change from call to call.

    opening: what `open` is.   describe: makes the description for executors that work elsewhere; it is called only
    by them, so that a description with many weights costs nothing here. None: the work cannot be done elsewhere.
    """

    opening: Callable[[int], Callable[[Block], Result]]
    describe: Callable[[], Work[Block, Result]] | None = None

    def open(self, threads: int) -> Callable[[Block], Result]:
        return self.opening(threads)


def to_text(work: Work[Any, Any]) -> bytes:
    """The description of work as JSON; ConfigError for work that has none."""
    if isinstance(work, Opened):
        if work.describe is None:
            raise ConfigError("this work has no description: a part of it exists in this process alone")
        work = work.describe()
    for name in kinds:
        if kinds.get(name) is type(work):
            return msgspec.json.encode({"work": name, "settings": work})
    raise ConfigError(f"{type(work).__name__} is not registered as a kind of work")


class _Described(msgspec.Struct, forbid_unknown_fields=True):
    work: str
    settings: msgspec.Raw


def from_text(text: bytes) -> Work[Any, Any]:
    """Read what `to_text` gave; FormatError for other text, ConfigError for an unknown kind. Opens nothing."""
    try:
        described = msgspec.json.decode(text, type=_Described)
        kind = kinds.get(described.work)
        work: Work[Any, Any] = msgspec.json.decode(described.settings, type=kind)
        return work
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"not a description of work: {error}") from None


class Executor(Protocol):
    """Where work is done."""

    def map(self, work: Work[Block, Result], blocks: Iterable[Block]) -> Iterator[Result]:
        """The result of each block, in the order of the blocks."""
        ...


@dataclass(frozen=True)
class Here:
    """Threads of this process: one block after the other, each with all threads."""

    threads: int = 1

    def __post_init__(self) -> None:
        at_least(1, threads=self.threads)

    def map(self, work: Work[Block, Result], blocks: Iterable[Block]) -> Iterator[Result]:
        """The result of each block, in the order of the blocks; one at a time, as they are asked for."""
        do = work.open(self.threads)
        for block in blocks:
            yield do(block)


def map(work: Work[Block, Result], blocks: Iterable[Block], executor: Executor | None = None) -> Iterator[Result]:
    """Do the work for every block, with one thread here unless an executor is given."""
    return (executor or Here()).map(work, blocks)
