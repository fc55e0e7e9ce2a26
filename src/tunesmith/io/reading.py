r"""Text input: plain, gzip and `-`; checked UTF-8 with line numbers.

Newlines alone separate lines. A carriage return before a newline or the end of the file is part of the line end
(CRLF files), a byte-order mark at the very start is skipped, and nothing else changes: Unicode line separators,
tabs and other controls stay inside the line. Data that cannot be text (NUL, bytes that are not UTF-8, a carriage
return inside a line, a line of more than 64 MiB, a damaged or foreign archive) raises FormatError with
`path:line`.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO, cast

from tunesmith.errors import FormatError, MissingFileError
from tunesmith.io.abandoned import open_for_generator
from tunesmith.io.gzip_stream import MAGIC as GZIP
from tunesmith.io.gzip_stream import GzipStream
from tunesmith.io.paths import StrPath, as_path, display_name, usable, why_not_opened

_BLOCK = 1 << 20
LONGEST_LINE = 1 << 26
"""Most bytes of a line; readers of the core use the same limit (cpp/base/line_splitter.hpp)."""
_HEAD = 16
# No readable UTF-8 text begins with these bytes, so a text is never mistaken for an archive.
_FOREIGN = (
    (rb"\xfd7zXZ\x00", "xz", "xz -dc"),
    (rb"BZh[1-9](1AY&SY|\x17\x72\x45\x38\x50\x90)", "bzip2", "bzip2 -dc"),
    (rb"\x28\xb5\x2f\xfd", "zstd", "zstd -dc"),
    (rb"PK(\x03\x04|\x05\x06)", "zip", "unzip -p"),
)
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def read_lines(path: StrPath) -> list[str]:
    """Return all lines of a text file (plain or gzip), or of standard input for `-`, without line ends."""
    return list(iter_lines(path))


def iter_lines(path: StrPath) -> Iterator[str]:
    """Yield the lines of a text file; memory does not grow with the file."""
    for lines in iter_line_blocks(path):
        yield from lines


def iter_line_blocks(path: StrPath) -> Iterator[Iterable[str]]:
    """Yield the lines of a text in blocks that can be read without waiting: of a pipe, the lines it holds now.

    A line from a pipe is yielded as soon as it is complete.
    """
    name = display_name(path)
    with open_bytes(path) as stream:
        yield from _checked_lines(stream, name)


def iter_blocks(path: StrPath) -> Iterator[bytes]:
    """Yield the bytes of a file (plain or gzip) in blocks, for readers of the core that split lines themselves."""
    name = display_name(path)
    first = True
    with open_bytes(path) as stream:
        while block := stream.read1(_BLOCK):
            if first and block.startswith(_UTF16):
                raise FormatError(_utf16(name), path=name, line=1)
            first = False
            yield block


@contextlib.contextmanager
def open_bytes(path: StrPath) -> Iterator[io.BufferedReader]:
    """Open the bytes of a file, decompressed if they are gzip (detected by content, not by name).

    Every way of reading raises FormatError, with the name of the file and the cause, if reading fails.
    """
    name = display_name(path)
    with contextlib.ExitStack() as stack:
        if os.fspath(path) == "-":
            raw = _standard_input()
        else:
            try:
                raw = cast("BinaryIO", stack.enter_context(open_for_generator(as_path(usable(path)))))
            except OSError as error:
                raise MissingFileError(why_not_opened(path, error)) from None
        try:
            head = _head(raw)
            source = cast("io.BufferedReader", io.BufferedReader(_Source(head, raw, name), _BLOCK))
        except OSError as error:  # a folder, on systems that report it only on reading
            raise MissingFileError(why_not_opened(path, error)) from None
        for magic, kind, command in _FOREIGN:
            if re.match(magic, head, re.DOTALL):
                raise FormatError(
                    f"this is a {kind} archive; only plain text and gzip are read. "
                    f"Try: {command} {_quoted(name)} | tunesmith … -",
                    path=name,
                )
        yield GzipStream(source, name) if head.startswith(GZIP) else source


def _standard_input() -> BinaryIO:
    stream = getattr(sys.stdin, "buffer", None)
    if stream is None or stream.closed:
        raise MissingFileError("-: there is no standard input here; name a file")
    return cast("BinaryIO", stream)


def _head(raw: BinaryIO) -> bytes:
    """Read the first bytes, or the first line: no known signature extends past a newline.

    A pipe may deliver its bytes one by one, and its writer may wait for an answer to the first line.
    """
    read: Callable[[int], bytes] = getattr(raw, "read1", raw.read)
    head = b""
    while len(head) < _HEAD and b"\n" not in head and (more := read(_HEAD - len(head))):
        head += more
    return head


class _Source(io.RawIOBase):
    """Stream from its beginning, after its first bytes were examined. Does not own the stream.

    Returns available bytes and does not wait for a full buffer.   name: of the file, in messages.
    """

    def __init__(self, head: bytes, raw: BinaryIO, name: str) -> None:
        self._head, self._raw, self._name = head, raw, name
        if raw.seekable():
            raw.seek(-len(head), os.SEEK_CUR)
            self._head = b""
        self._fill: Callable[[memoryview], int] = raw.readinto  # type: ignore[attr-defined]
        if hasattr(raw, "read1"):
            self._fill = self._present

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        if self._head:
            taken = self._head[: len(buffer)]
            self._head = self._head[len(taken) :]
            buffer[: len(taken)] = taken
            return len(taken)
        try:
            return self._fill(buffer)
        except OSError as error:
            raise self._unreadable(error) from None

    def _present(self, buffer: memoryview) -> int:
        """Read the bytes that a buffered stream has now (its `readinto1` waits if asked for more)."""
        data = self._raw.read1(len(buffer))  # type: ignore[attr-defined]
        buffer[: len(data)] = data
        return len(data)

    def readall(self) -> bytes:
        head, self._head = self._head, b""
        try:
            return head + self._raw.read()
        except OSError as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: OSError) -> FormatError:
        return FormatError(f"cannot be read any further ({error.strerror or error})", path=self._name)


def _checked_lines(stream: io.BufferedReader, name: str) -> Iterator[Iterable[str]]:
    number = 0
    unfinished: list[bytes] = []  # blocks of a line whose end has not been read yet
    held = 0  # their bytes
    block = b""
    while len(block) < len(_BOM) and b"\n" not in block and (more := stream.read1(_BLOCK)):
        block += more
    if block.startswith(_UTF16):
        raise FormatError(_utf16(name), path=name, line=1)
    block = block.removeprefix(_BOM) or stream.read1(_BLOCK)
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
            data = b"".join([*unfinished, block[:end]])
            yield _decode_lines(data, name, number)
            number += data.count(b"\n")
            unfinished = [block[end:]]
            held = len(block) - end
        block = stream.read1(_BLOCK)
    if rest := b"".join(unfinished):
        yield [_decode(rest, name, number + 1)]


def _decode_lines(data: bytes, name: str, number: int) -> Iterable[str]:
    """Yield the lines of `data`, which ends in a newline, after `number` earlier lines.

    Decodes in one go if all is valid.
    """
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
            f"NUL character at position {text.index(chr(0)) + 1}; expected text. Is this a binary or UTF-16 file?",
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
        "the text starts with a UTF-16 byte-order mark; expected UTF-8. "
        f"Convert it with: iconv -f UTF-16 -t UTF-8 {_quoted(name)}"
    )


def _quoted(name: str) -> str:
    """Quote a name for a shell, for commands in messages."""
    import shlex

    return "-" if name == "<stdin>" else shlex.quote(name)
