"""Work that has a description: it can be sent to another process as text, opened there, and done block by block.

A kind of work is a frozen `msgspec.Struct` that derives from `Work`. Its fields say everything that the result
depends on besides the blocks; folders are named with digests of what is in them. `execution.map` does it on this
machine; results come in the order of the blocks, so nothing depends on which worker did which block.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import msgspec

from tunesmith.checks import at_least
from tunesmith.errors import ConfigError, FormatError, cut
from tunesmith.execution.kept import Kept
from tunesmith.execution.packets import Packet
from tunesmith.registry import Registry

Block = TypeVar("Block")
Given = TypeVar("Given")
Result = TypeVar("Result")


class Work(msgspec.Struct, Generic[Block, Result], frozen=True, forbid_unknown_fields=True):
    """A kind of work; registered by name, which its text begins with.

    block: the type of its blocks, which travel as JSON.
    """

    block: ClassVar[Any] = Any

    @abstractmethod
    def open(self, threads: int) -> Callable[[Block], Result]:
        """Make ready what all blocks need, in the process that does them; returns what does one block.

        threads: how many a block may use. The result must not depend on them.
        """

    def serve(self, threads: int, kept: Kept) -> Callable[[Block], Packet]:
        """Wrap `open` for a worker: results as packets.   kept: what is open in its process from earlier work."""
        do = self.open(threads)
        return lambda block: Packet(do(block))

    def receive(self, packet: Packet) -> Result:
        """Return the result of a block from the packet that a worker made of it."""
        result: Result = packet.values
        return result

    def files(self) -> tuple[str, ...]:
        """Return names of the folders and files that a worker opens."""
        return ()

    def placed(self, places: Callable[[str], str]) -> Work[Block, Result]:
        """Return the work with each of `files` in another place."""
        return self

    def files_of(self, block: Block) -> tuple[str, ...]:
        """Return names of the files that this block alone needs."""
        return ()

    def placed_block(self, block: Block, places: Callable[[str], str]) -> Block:
        """Return the block with each of `files_of` in another place."""
        return block

    def name_of(self, block: Block) -> str:
        """Return what messages call a block, in addition to its number."""
        return cut(repr(block))


kinds: Registry[Work[Any, Any]] = Registry("kind of work", "tunesmith.work")


class Opened(Work[Block, Result], frozen=True):
    """Work with what it needs open in this process already: a model with weights that change from call to call.

    opening: what `open` is.   describe: makes the description for executors that work elsewhere; it is called only
    by them, so that a description with many weights costs nothing here. None: the work cannot be done elsewhere.
    receiving: turns packets of workers into results, with what is open here; None for what the description does.
    """

    opening: Callable[[int], Callable[[Block], Result]]
    describe: Callable[[], Work[Block, Result]] | None = None
    receiving: Callable[[Packet], Result] | None = None

    def open(self, threads: int) -> Callable[[Block], Result]:
        return self.opening(threads)

    def described(self) -> Work[Block, Result]:
        """Return the description; ConfigError for work that has none."""
        if self.describe is None:
            raise ConfigError("this work has no description: a part of it exists in this process alone")
        return self.describe()


def described(work: Work[Block, Result]) -> tuple[Work[Block, Result], Callable[[Packet], Result]]:
    """Return the work as it travels, and what makes results of its packets."""
    if not isinstance(work, Opened):
        return work, work.receive
    description = work.described()
    return description, work.receiving or description.receive


def to_text(work: Work[Any, Any]) -> bytes:
    """Return the description of work as JSON; ConfigError for work that has none."""
    work, _ = described(work)
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


class Blocks(Generic[Given, Block]):
    """Blocks that are made when they are asked for, and whose number is known.   make: makes one."""

    def __init__(self, given: Sequence[Given], make: Callable[[Given], Block]) -> None:
        self._given, self._make = given, make

    def __len__(self) -> int:
        return len(self._given)

    def __iter__(self) -> Iterator[Block]:
        return (self._make(each) for each in self._given)


class Executor(Protocol):
    """Where work is done."""

    @property
    def at_once(self) -> int:
        """How many blocks are done at the same time."""

    def map(self, work: Work[Block, Result], blocks: Iterable[Block]) -> Iterator[Result]:
        """Return the result of each block, in the order of the blocks."""
        ...


@dataclass(frozen=True)
class Here:
    """Threads of this process: one block after the other, each with all threads."""

    threads: int = 1

    def __post_init__(self) -> None:
        at_least(1, threads=self.threads)

    @property
    def at_once(self) -> int:
        return 1

    def map(self, work: Work[Block, Result], blocks: Iterable[Block]) -> Iterator[Result]:
        """Yield the result of each block, in the order of the blocks; one at a time, as they are asked for."""
        do = work.open(self.threads)
        for block in blocks:
            yield do(block)


def map(work: Work[Block, Result], blocks: Iterable[Block], executor: Executor | None = None) -> Iterator[Result]:
    """Do the work for every block, with one thread here unless an executor is given."""
    return (executor or Here()).map(work, blocks)
