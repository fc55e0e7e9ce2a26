"""Sorting `|||` lists with sentences in any order, for readers that need ascending sentences."""

from __future__ import annotations

import dataclasses
import re
import tempfile
from array import array
from collections.abc import Callable, Iterator
from typing import TypeVar

import numpy as np

from tunesmith.errors import FormatError
from tunesmith.search.dialects.base import BadLines, ListFile
from tunesmith.search.dialects.input import ListInput

_AT_ONCE = 10_000  # lines of a block
_LAST = 1 << 62
_NUMBER = re.compile(rb"[ \t]*([0-9]{1,18})[ \t]+\|\|\|")

Found = TypeVar("Found", bound=ListFile | None)


class SortedInput(ListInput):
    """Lines of another input by ascending sentence; lines of a sentence keep their order.

    The text is in a temporary file; memory holds two numbers per line.
    """

    def __init__(self, data: ListInput) -> None:
        self.name = data.name
        self._file = tempfile.TemporaryFile(prefix="tunesmith-")  # noqa: SIM115 (closed by __exit__)
        keys, ends = array("q"), array("q", [0])
        try:
            for line in _lines(data):
                keys.append(_sentence(line))
                ends.append(ends[-1] + len(line))
                self._file.write(line)
        except BaseException:
            self._file.close()
            raise
        self._order = np.argsort(np.array(keys, dtype=np.int64), kind="stable")
        self._ends = np.array(ends, dtype=np.int64)

    def __enter__(self) -> SortedInput:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def blocks(self) -> Iterator[bytes]:
        for begin in range(0, len(self._order), _AT_ONCE):
            yield b"".join(self._pieces(self._order[begin : begin + _AT_ONCE]))

    def _pieces(self, lines: np.ndarray[tuple[int], np.dtype[np.int64]]) -> Iterator[bytes]:
        """Yield the given lines; consecutive lines of the file are read together."""
        breaks = np.flatnonzero(np.diff(lines) != 1) + 1
        for first, last in zip([0, *breaks.tolist()], [*breaks.tolist(), len(lines)], strict=True):
            begin, end = int(self._ends[lines[first]]), int(self._ends[lines[last - 1] + 1])
            self._file.seek(begin)
            yield self._file.read(end - begin)

    def in_file(self, read: Callable[[], Found]) -> Found:
        """Run `read` on the sorted text, and map line numbers in errors and results to the file."""
        try:
            found = read()
        except FormatError as error:
            line = None if error.line is None else self._line(error.line)
            raise FormatError(error.message, path=error.path, line=line) from None
        if found is None:
            return found
        listed = sorted((self._line(line), message) for line, message in found.bad.listed)
        return dataclasses.replace(found, bad=BadLines(found.bad.count, tuple(listed)))

    def _line(self, sorted_line: int) -> int:
        return int(self._order[sorted_line - 1]) + 1


def _lines(data: ListInput) -> Iterator[bytes]:
    """Yield every line with its end; the last line gets an end if missing."""
    unfinished: list[bytes] = []
    first = True
    for block in data.blocks():
        if first:
            block, first = block.removeprefix(b"\xef\xbb\xbf"), False
        *whole, last = block.split(b"\n")
        if whole:
            whole[0] = b"".join([*unfinished, whole[0]])
            unfinished = []
            yield from (line + b"\n" for line in whole)
        unfinished.append(last)
    if rest := b"".join(unfinished):
        yield rest + b"\n"


def _sentence(line: bytes) -> int:
    """Return the leading number of a line; lines without a number sort last, and readers refuse them."""
    number = _NUMBER.match(line)
    return int(number[1]) if number else _LAST
