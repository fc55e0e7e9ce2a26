r"""Text in: plain, gzip and `-`; checked UTF-8 with line numbers.

One line is what stands between two newlines. A carriage return before a newline or the end of the file is part of
the line end (CRLF files), a byte-order mark at the very start is skipped, and nothing else is changed: Unicode
line separators, tabs and other controls stay inside the line. What cannot be text (NUL, bytes that are not UTF-8,
a carriage return inside a line, a line of more than 64 MiB, a damaged or foreign archive) raises FormatError with
`path:line`.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, cast

from tunesmith.errors import FormatError, MissingFileError
from tunesmith.io.paths import StrPath, display_name, usable, why_not_opened

_BLOCK = 1 << 20
LONGEST_LINE = 1 << 26
"""Bytes of a line; readers of the core have the same limit (cpp/base/line_splitter.hpp)."""
_HEAD = 16
_GZIP = b"\x1f\x8b"
# None of these can begin a UTF-8 text that we would read, so a text is never mistaken for an archive.
_FOREIGN = (
    (rb"\xfd7zXZ\x00", "xz", "xz -dc"),
    (rb"BZh[1-9](1AY&SY|\x17\x72\x45\x38\x50\x90)", "bzip2", "bzip2 -dc"),
    (rb"\x28\xb5\x2f\xfd", "zstd", "zstd -dc"),
    (rb"PK(\x03\x04|\x05\x06)", "zip", "unzip -p"),
)
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read_lines(path: StrPath) -> list[str]:
    """All lines of a text file (plain or gzip), or of standard input for `-`, without line ends."""
    return list(iter_lines(path))


def iter_lines(path: StrPath) -> Iterator[str]:
    """The lines of a text file one after the other; memory does not grow with the file."""
    name = display_name(path)
    with open_bytes(path) as stream:
        yield from _checked_lines(stream, name)


def iter_blocks(path: StrPath) -> Iterator[bytes]:
    """The bytes of a file (plain or gzip) block by block, for readers of the core that find lines themselves."""
    name = display_name(path)
    first = True
    lines = 0
    with open_bytes(path) as stream:
        packed = isinstance(stream, gzip.GzipFile)  # may be damaged; counting lines takes time
        while block := _read_block(stream, name, lines if packed else None):
            if first and block.startswith(_UTF16):
                raise FormatError(_utf16(name), path=name, line=1)
            first = False
            if packed:
                lines += block.count(b"\n")
            yield block


@contextlib.contextmanager
def open_bytes(path: StrPath) -> Iterator[BinaryIO]:
    """The bytes of a file, decompressed where they are gzip (found by content, not by name)."""
    name = display_name(path)
    with contextlib.ExitStack() as stack:
        if os.fspath(path) == "-":
            raw = _standard_input()
        else:
            try:
                raw = stack.enter_context(Path(usable(path)).open("rb"))
            except OSError as error:
                raise MissingFileError(why_not_opened(path, error)) from None
        try:
            head, stream = _with_head(raw)
        except OSError as error:  # a folder, on systems that say so only on reading
            raise MissingFileError(why_not_opened(path, error)) from None
        for magic, kind, command in _FOREIGN:
            if re.match(magic, head, re.DOTALL):
                raise FormatError(
                    f"this is a {kind} archive; only plain text and gzip are read. "
                    f"Try: {command} {_quoted(name)} | tunesmith … -",
                    path=name,
                )
        if head.startswith(_GZIP):
            yield cast("BinaryIO", stack.enter_context(gzip.GzipFile(fileobj=stream, mode="rb")))
        else:
            yield stream


def _standard_input() -> BinaryIO:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None or stream.closed:
        raise MissingFileError("-: there is no standard input here; name a file")
    return cast("BinaryIO", stream)


def _with_head(raw: BinaryIO) -> tuple[bytes, BinaryIO]:
    """The first bytes, and a stream that still begins with them. A pipe may hand them over one by one."""
    head = raw.read(_HEAD)
    if raw.seekable():
        raw.seek(-len(head), os.SEEK_CUR)
        return head, raw
    return head, cast("BinaryIO", io.BufferedReader(_Rejoined(head, raw), _BLOCK))


class _Rejoined(io.RawIOBase):
    """Bytes already taken from a stream, followed by the rest of it. Does not own the stream."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        data = self._head or _read_some(self._rest, len(buffer))
        taken = data[: len(buffer)]
        self._head = data[len(taken) :]
        buffer[: len(taken)] = taken
        return len(taken)


def _read_some(stream: BinaryIO, size: int) -> bytes:
    """What is there now, at most `size`; empty only at the end. Does not wait for a full block."""
    read1 = getattr(stream, "read1", None)
    return cast("bytes", stream.read(size) if read1 is None else read1(size))


def _checked_lines(stream: BinaryIO, name: str) -> Iterator[str]:
    number = 0
    unfinished: list[bytes] = []  # blocks of a line whose end has not been seen yet
    held = 0  # their bytes
    block = b""
    while len(block) < len(_BOM) and (more := _read_block(stream, name, number)):
        block += more
    if block.startswith(_UTF16):
        raise FormatError(_utf16(name), path=name, line=1)
    block = block.removeprefix(_BOM) or _read_block(stream, name, number)
    while block:
        end = block.rfind(b"\n") + 1
        if end == 0:
            unfinished.append(block)
            held += len(block)
            if held > LONGEST_LINE:
                raise FormatError(
                    "the line has more than 64 MiB; is this a text? Give it line breaks, a sentence in each line",
                    path=name,
                    line=number + 1,
                )
        else:
            for line in _decode_lines(b"".join([*unfinished, block[:end]]), name, number):
                number += 1
                yield line
            unfinished = [block[end:]]
            held = len(block) - end
        block = _read_block(stream, name, number)
    if rest := b"".join(unfinished):
        yield _decode(rest, name, number + 1)


def _read_block(stream: BinaryIO, name: str, number: int | None) -> bytes:
    """The next bytes; `number` lines came before, None where they were not counted."""
    line = None if number is None else number + 1
    try:
        return _read_some(stream, _BLOCK)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(
            f"the gzip data is damaged or cut off in or behind this line ({error}); get the file again",
            path=name,
            line=line,
        ) from None
    except OSError as error:
        raise FormatError(f"cannot be read any further ({error.strerror})", path=name, line=line) from None


def _decode_lines(data: bytes, name: str, number: int) -> Iterable[str]:
    """The lines of `data`, which ends in a newline; `number` lines came before. All at once if all is well."""
    lines = data.replace(b"\r\n", b"\n") if b"\r" in data else data
    if b"\r" not in lines and b"\0" not in lines:
        with contextlib.suppress(UnicodeDecodeError):
            return lines[:-1].decode("utf-8").split("\n")
    return (_decode(line, name, at) for at, line in enumerate(data[:-1].split(b"\n"), number + 1))


def _decode(line: bytes, name: str, number: int) -> str:
    if line.endswith(b"\r"):
        line = line[:-1]
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte {error.start + 1} of the line (0x{line[error.start]:02x}) is not UTF-8 ({error.reason}). "
            f"If the text is in another encoding, convert it: iconv -f LATIN1 -t UTF-8 {_quoted(name)}",
            path=name,
            line=number,
        ) from None
    if "\0" in text:
        raise FormatError(
            f"NUL character at position {text.index(chr(0)) + 1}; text was expected. "
            "Is this a binary or UTF-16 file?",
            path=name,
            line=number,
        )
    if "\r" in text:
        raise FormatError(
            f"carriage return inside the line at position {text.index(chr(13)) + 1}; lines end in LF or CRLF. "
            f"For old Macintosh line ends: tr '\\r' '\\n' < {_quoted(name)}",
            path=name,
            line=number,
        )
    return text


def _utf16(name: str) -> str:
    return (
        "the text starts with a UTF-16 byte-order mark; UTF-8 is expected. "
        f"Convert it with: iconv -f UTF-16 -t UTF-8 {_quoted(name)}"
    )


def _quoted(name: str) -> str:
    """The name as a shell takes it, for commands in messages."""
    import shlex

    return "-" if name == "<stdin>" else shlex.quote(name)
