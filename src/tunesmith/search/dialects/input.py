"""The bytes of a list file, read once from front to end, whose first lines can be looked at before."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NoReturn

from tunesmith.errors import FormatError
from tunesmith.io import StrPath, display_name, iter_blocks

_HEAD_BYTES, HEAD_LINES = 1 << 16, 50
_LONGEST = 1 << 26  # as in cpp/base/line_splitter.hpp
_BOM = b"\xef\xbb\xbf"
MOST_LISTED = 1000


class ListInput:
    """A file (plain, gzip, `-`) as blocks or as lines, once."""

    def __init__(self, path: StrPath) -> None:
        self.name = display_name(path)
        self._rest = iter_blocks(path)
        self._head = b""
        # A pipe may hand over its first lines one by one.
        while len(self._head) < _HEAD_BYTES and self._head.count(b"\n") < HEAD_LINES:
            block = next(self._rest, b"")
            if not block:
                break
            self._head += block

    def head(self) -> list[str]:
        """The first lines, for looking at; what is not UTF-8 is replaced."""
        lines = self._head.removeprefix(_BOM)[:_HEAD_BYTES].split(b"\n")
        if len(lines) > 1 and (len(self._head) >= _HEAD_BYTES or not lines[-1]):
            lines.pop()  # cut off, or behind the last line end
        return [line.decode("utf-8", "replace").removesuffix("\r") for line in lines[:HEAD_LINES] if line]

    def blocks(self) -> Iterator[bytes]:
        """All bytes."""
        return itertools.chain([self._head] if self._head else [], self._rest)

    def lines(self, bad: BadLineLog) -> Iterator[tuple[int, str]]:
        """Lines with their numbers, without line ends. A line that is no text is told to `bad`."""
        number, unfinished = 0, b""
        for block in self.blocks():
            *whole, last = block.split(b"\n")
            for piece in whole:
                number += 1
                text = self._text(unfinished + piece, number, bad)
                unfinished = b""
                if text is not None:
                    yield number, text
            unfinished += last
            if len(unfinished) > _LONGEST:
                raise FormatError(
                    "the line has more than 64 MiB; is this a text?", path=self.name, line=number + 1
                )
        if unfinished:
            text = self._text(unfinished, number + 1, bad)
            if text is not None:
                yield number + 1, text

    def _text(self, line: bytes, number: int, bad: BadLineLog) -> str | None:
        if number == 1:
            line = line.removeprefix(_BOM)
        line = line.removesuffix(b"\r")
        if b"\0" in line:
            bad.add(number, "the line is not UTF-8 text")
            return None
        if b"\r" in line:
            bad.add(number, "carriage return inside the line; lines end in LF or CRLF")
            return None
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError:
            bad.add(number, "the line is not UTF-8 text")
            return None


class BadLineLog:
    """Where readers of lines tell mistakes: an error, or a note where bad lines are to be left out."""

    def __init__(self, name: str, *, skip: bool) -> None:
        self.name, self.skip = name, skip
        self.count = 0
        self.listed: list[tuple[int, str]] = []

    def add(self, line: int, message: str) -> None:
        """A line that cannot be used, and why."""
        if not self.skip:
            self.refuse(line, message)
        self.count += 1
        if len(self.listed) < MOST_LISTED:
            self.listed.append((line, message))

    def refuse(self, line: int | None, message: str) -> NoReturn:
        """The file cannot be used."""
        raise FormatError(message, path=self.name, line=line)
