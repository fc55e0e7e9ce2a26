"""Gzip in: the one place where compressed bytes are unpacked, with errors that name file, place and cause.

What Python's own reader raises (zlib.error, EOFError, BadGzipFile, OSError) differs with the kind of damage and
the call, and an EOFError that reaches the command line ends it without a reason. Here every way of reading
(`read`, `read1`, `readinto`, `readline`, iteration) goes through one method, which raises FormatError alone.
"""

from __future__ import annotations

import io
import struct
import zlib
from typing import BinaryIO

from tunesmith.errors import FormatError

MAGIC = b"\x1f\x8b"
_PACKED = 1 << 16  # compressed bytes that are unpacked at once: how exact the place of damage is
_BUFFER = 1 << 18
_PIECE = 1 << 20
# RFC 1952: two bytes of magic, the method, flags, then what is ignored (time, level, system).
_HEADER = struct.Struct("<2sBB6x")
_DEFLATE = 8
_LONGEST_TEXT = 1 << 16  # bytes of a name or comment
_CHECKSUM_FLAG, _EXTRA_FLAG, _NAME_FLAG, _COMMENT_FLAG = 2, 4, 8, 16
_TRAILER = struct.Struct("<II")  # CRC-32, and the length modulo 2**32


class GzipStream(io.BufferedReader):
    """The unpacked bytes of a gzip stream, from its beginning; members are joined. Cannot seek.

    name: of the file, in messages. The packed stream stays open.
    """

    def __init__(self, packed: BinaryIO, name: str) -> None:
        super().__init__(_Unpacked(packed, name), _BUFFER)


class _Unpacked(io.RawIOBase):
    def __init__(self, packed: BinaryIO, name: str) -> None:
        self._packed, self._name = packed, name
        self._waiting = b""  # packed bytes that were read and not unpacked yet
        self._read = self._lines = 0  # packed bytes read, line ends unpacked
        self._binary = False  # not a text, so that lines say nothing
        self._member = _Member()
        self._begun = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        data = self._unpack(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        return b"".join(iter(lambda: self._unpack(_PIECE), b""))

    def _unpack(self, most: int) -> bytes:
        """Return the next bytes, at most `most`; none only after the last member."""
        while self._begun or self._begin_member():
            if self._member.ended:
                self._end_member()
                continue
            at = self._read - len(self._waiting)
            more = bool(self._waiting) or self._fill()
            try:
                data = self._member.unpack(self._waiting, most)
            except zlib.error as error:
                raise self._damaged(str(error).partition(": ")[2] or str(error), at) from None
            self._waiting = self._member.left
            if data:
                self._lines += data.count(b"\n")
                self._binary = self._binary or b"\0" in data
                return data
            if not more and not self._member.ended:
                raise self._damaged("its end is missing")
        return b""

    def _begin_member(self) -> bool:
        """Read the header; False where no other member follows. Zeros that pad the file are passed over."""
        first = self._read == 0
        self._waiting = self._waiting.lstrip(b"\0")
        while not self._waiting:
            if not self._fill():
                return False
            self._waiting = self._waiting if first else self._waiting.lstrip(b"\0")
        at = self._read - len(self._waiting)
        magic, method, flags = _HEADER.unpack(self._exactly(_HEADER.size))
        if magic != MAGIC:
            raise self._damaged("what follows is not gzip", at)
        if method != _DEFLATE:
            raise self._damaged(f"compression method {method} is not known", at)
        if flags & _EXTRA_FLAG:
            self._exactly(int.from_bytes(self._exactly(2), "little"))
        for flag in (_NAME_FLAG, _COMMENT_FLAG):
            if flags & flag:
                self._text()
        if flags & _CHECKSUM_FLAG:
            self._exactly(2)
        self._member, self._begun = _Member(), True
        return True

    def _end_member(self) -> None:
        at = self._read - len(self._waiting)
        checksum, length = _TRAILER.unpack(self._exactly(_TRAILER.size))
        if checksum != self._member.checksum:
            raise self._damaged("its checksum is wrong", at)
        if length != self._member.length % 2**32:
            raise self._damaged("its length is wrong", at)
        self._begun = False

    def _text(self) -> None:
        """Pass over a name or comment, which a zero ends."""
        while b"\0" not in self._waiting:
            if len(self._waiting) > _LONGEST_TEXT:
                raise self._damaged("its name or comment has no end")
            self._fill_more()
        self._waiting = self._waiting[self._waiting.index(b"\0") + 1 :]

    def _exactly(self, size: int) -> bytes:
        while len(self._waiting) < size:
            self._fill_more()
        taken, self._waiting = self._waiting[:size], self._waiting[size:]
        return taken

    def _fill_more(self) -> None:
        """Add the next packed bytes to what is waiting; FormatError at the end of the file."""
        before = self._waiting
        if not self._fill():
            raise self._damaged("its end is missing")
        self._waiting = before + self._waiting

    def _fill(self) -> bool:
        """Replace what is waiting by the next packed bytes; False at the end of the file."""
        self._waiting = self._packed.read(_PACKED)
        self._read += len(self._waiting)
        return bool(self._waiting)

    def _damaged(self, cause: str, at: int | None = None) -> FormatError:
        place = "" if self._binary else " in or after this line"
        return FormatError(
            f"the gzip data is damaged or cut off{place} ({cause}, at or after byte "
            f"{self._read if at is None else at} of the compressed file); get the file again",
            path=self._name,
            line=None if self._binary else self._lines + 1,
        )


class _Member:
    """One of the streams that a gzip file is made of.   left: packed bytes that were given and not used."""

    def __init__(self) -> None:
        self._core = zlib.decompressobj(-zlib.MAX_WBITS)
        self.checksum = self.length = 0
        self.left = b""

    @property
    def ended(self) -> bool:
        return self._core.eof

    def unpack(self, packed: bytes, most: int) -> bytes:
        data = self._core.decompress(packed, most)
        self.left = self._core.unused_data if self._core.eof else self._core.unconsumed_tail
        self.checksum = zlib.crc32(data, self.checksum)
        self.length += len(data)
        return data
