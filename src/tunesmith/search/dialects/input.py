"""Bytes of a list file, read once from front to end, with a preview of the first lines."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

from tunesmith.io import StrPath, display_name, iter_blocks

_HEAD_BYTES, HEAD_LINES = 1 << 16, 50
_BOM = b"\xef\xbb\xbf"


class ListInput:
    """A file (plain, gzip, `-`) as blocks, readable once."""

    def __init__(self, path: StrPath) -> None:
        self.name = display_name(path)
        self._rest = iter_blocks(path)
        self._head = b""
        # A pipe may deliver its first lines one by one.
        while len(self._head) < _HEAD_BYTES and self._head.count(b"\n") < HEAD_LINES:
            block = next(self._rest, b"")
            if not block:
                break
            self._head += block

    def head(self) -> list[str]:
        """Return the first lines for detection; invalid UTF-8 is replaced."""
        lines = self._head.removeprefix(_BOM)[:_HEAD_BYTES].split(b"\n")
        if len(lines) > 1 and (len(self._head) >= _HEAD_BYTES or not lines[-1]):
            lines.pop()  # incomplete, or after the last line end
        return [line.decode("utf-8", "replace").removesuffix("\r") for line in lines[:HEAD_LINES] if line]

    def blocks(self) -> Iterator[bytes]:
        return itertools.chain([self._head] if self._head else [], self._rest)
