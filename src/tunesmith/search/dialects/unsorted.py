"""Lists with `|||` whose sentences come in any order, for a reader that wants them rising."""

from __future__ import annotations

from collections.abc import Iterator

from tunesmith.errors import FormatError
from tunesmith.search.dialects.input import ListInput

_AT_ONCE = 10_000  # lines of a block
_LAST = 1 << 62


class SortedInput(ListInput):
    """The lines of another input by rising sentence; those of a sentence keep their order. All are in memory."""

    def __init__(self, data: ListInput) -> None:
        self.name = data.name
        lines = b"".join(data.blocks()).removeprefix(b"\xef\xbb\xbf").split(b"\n")
        if not lines[-1]:
            lines.pop()
        keys = [_sentence(line) for line in lines]
        self._order = sorted(range(len(lines)), key=keys.__getitem__)
        self._lines = lines

    def blocks(self) -> Iterator[bytes]:
        """The sorted lines."""
        for begin in range(0, len(self._order), _AT_ONCE):
            yield b"".join(self._lines[at] + b"\n" for at in self._order[begin : begin + _AT_ONCE])

    def line_of(self, sorted_line: int) -> int:
        """Where a line of the sorted text stands in the file."""
        return self._order[sorted_line - 1] + 1

    def error_of(self, error: FormatError) -> FormatError:
        """The error of the sorted text with the line of the file."""
        line = None if error.line is None else self.line_of(error.line)
        return FormatError(error.message, path=error.path, line=line)


def _sentence(line: bytes) -> int:
    """The number that a line begins with; lines without one come last and are refused there."""
    number = line.partition(b"|||")[0].strip()
    return int(number) if number.isdigit() and len(number) < 19 else _LAST
