"""What a dialect of n-best lists is: a reader and a writer behind a name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator

from tunesmith.io import StrPath
from tunesmith.registry import Registry
from tunesmith.search.candidates import CandidateSet


class Dialect(ABC):
    """One way to write candidates as text."""

    @abstractmethod
    def read(self, path: StrPath) -> CandidateSet:
        """The candidates of a file (plain, gzip, `-`); FormatError with `path:line` for what is wrong."""

    @abstractmethod
    def write(self, candidates: CandidateSet, first: int = 0) -> Iterator[str]:
        """The lines, many at once, each block ending with a newline. Reading them gives every value back.

        first: the number of the first sentence, where these are a part of a longer list.
        """


dialects: Registry[Dialect] = Registry("dialect of n-best lists", "tunesmith.dialects")
