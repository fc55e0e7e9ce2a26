"""Numbered lines of a file, for messages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from tunesmith.errors import FormatError
from tunesmith.search.graphs.formats.base import Names, number_in

_NUMBER = re.compile(r"[0-9]{1,9}")


class Reading:
    """A file being read.   line: number of the current line."""

    def __init__(self, lines: Iterable[str], path: str, names: Names) -> None:
        self._lines, self.path, self.names, self.line = iter(lines), path, names, 0

    def __iter__(self) -> Iterator[str]:
        for text in self._lines:
            self.line += 1
            yield text

    def wrong(self, message: str) -> FormatError:
        return FormatError(message, path=self.path, line=self.line)

    def number(self, text: str, what: str) -> float:
        return number_in(text, self.path, self.line, what)

    def count(self, text: str, what: str) -> int:
        """Read a whole number below 10^9, such as a node number."""
        if not _NUMBER.fullmatch(text):
            raise self.wrong(f"{what} must be a whole number below 10^9, got {text[:40]!r}")
        return int(text)

    def features(self, names: Sequence[str]) -> list[int]:
        """Return numbers of features; FormatError for invalid names."""
        try:
            return [self.names.features[name] for name in names]
        except ValueError as error:
            raise self.wrong(str(error)) from None

    def words(self, text: str) -> list[int]:
        words = self.names.words
        return [words[word] for word in text.split()]
