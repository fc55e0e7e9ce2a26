"""What a dialect of n-best lists is: how to recognise it, a reader and a writer, under a name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from tunesmith.errors import ConfigError
from tunesmith.registry import Registry
from tunesmith.search.dialects.input import ListInput
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.words import WordLists


class Detection(NamedTuple):
    """How sure a dialect is that lines are its own (0 to 1), and what it saw."""

    confidence: float
    reason: str


NOT_MINE = Detection(0.0, "")


@dataclass(frozen=True)
class BadLines:
    """Lines that were left out on request: how many, and the first ones with what is wrong."""

    count: int = 0
    listed: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True)
class ListFile:
    """What a file of lists held.

    sources, references: of each sentence, where the dialect has them; None where it has none.
    first: the number of the first sentence, where this is a part of a file.
    """

    candidates: CandidateSet
    dialect: str = ""
    reason: str = ""
    sources: Sequence[str] | None = None
    references: Sequence[Sequence[str]] | None = None
    bad: BadLines = BadLines()
    first: int = 0


class Dialect(ABC):
    """One way to write candidates as text."""

    name: ClassVar[str]
    writes_whole: ClassVar[bool] = False
    """Lists cannot be written part by part: the first lines depend on the last ones."""

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        """Return whether the first lines of a file look like this dialect."""
        return NOT_MINE

    @abstractmethod
    def read(self, data: ListInput, *, skip_bad: bool = False) -> ListFile:
        """Read the lists; FormatError with `path:line` for a bad line, unless bad lines are to be left out."""

    def read_parts(self, data: ListInput, *, skip_bad: bool = False) -> Iterator[ListFile]:
        """Yield the lists part by part, so that memory does not grow with the file; one part where that cannot be.

        A part has whole sentences, without sources and references, and the bad lines since the part before.
        Sentences must rise, FormatError otherwise.
        """
        yield self.read(data, skip_bad=skip_bad)

    @abstractmethod
    def write(self, candidates: CandidateSet, first: int = 0, *, lossy: bool = False) -> Iterator[str]:
        """Return the lines, many at once, each block ending with a newline. Reading them gives every value back.

        first: the number of the first sentence, where these are a part of a longer list.
        lossy: leave out what the dialect has no place for, which is a ConfigError otherwise.
        """

    def write_parts(self, parts: Iterable[tuple[int, CandidateSet]], *, lossy: bool = False) -> Iterator[str]:
        """Yield the lines of a list that comes in parts, each with the number of its first sentence.

        The columns of a part are those of the part before, more may follow.
        """
        for first, candidates in parts:
            yield from self.write(candidates, first, lossy=lossy)

    def words(self, candidates: CandidateSet) -> WordLists:
        """Return the words to write; ConfigError for candidates that have none."""
        if candidates.words is None:
            raise ConfigError("candidates without words cannot be written as an n-best list")
        return candidates.words

    def lost(self, what: str, *, lossy: bool) -> None:
        """Raise ConfigError for what has no place in this dialect, unless the caller accepts the loss."""
        if not lossy:
            raise ConfigError(
                f"{what} cannot be written in the dialect {self.name}: choose another one (moses, json), or allow "
                "the loss (lossy=True, on the command line --lossy)"
            )


dialects: Registry[Dialect] = Registry("dialect of n-best lists", "tunesmith.dialects")
