r"""Text in and out: plain, gzip and `-`; checked UTF-8 with line numbers; atomic writes.

One line is what stands between two newlines. A carriage return before a newline is part of the line end (CRLF
files), a byte-order mark at the very start is skipped, and nothing else is changed: Unicode line separators, tabs
and other controls stay inside the line. What cannot be text (NUL, bytes that are not UTF-8, a lone carriage
return, a damaged or foreign archive) raises FormatError with `path:line`.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import secrets
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, BinaryIO, cast

from tunesmith.errors import FormatError, MissingFileError

StrPath = str | os.PathLike[str]

_BLOCK = 1 << 20
_GZIP = b"\x1f\x8b"
_FOREIGN = {
    b"\xfd7zXZ\x00": ("xz", "xz -dc"),
    b"BZh": ("bzip2", "bzip2 -dc"),
    b"\x28\xb5\x2f\xfd": ("zstd", "zstd -dc"),
    b"PK\x03\x04": ("zip", "unzip -p"),
}
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def display_name(path: StrPath) -> str:
    """The name of a path in messages: `-` is standard input."""
    return "<stdin>" if os.fspath(path) == "-" else os.fspath(path)


def read_lines(path: StrPath) -> list[str]:
    """All lines of a text file (plain or gzip), or of standard input for `-`, without line ends."""
    return list(iter_lines(path))


def iter_lines(path: StrPath) -> Iterator[str]:
    """The lines of a text file one after the other; memory does not grow with the file."""
    name = display_name(path)
    with open_bytes(path) as stream:
        yield from _checked_lines(stream, name)


@contextlib.contextmanager
def open_bytes(path: StrPath) -> Iterator[BinaryIO]:
    """The bytes of a file, decompressed where they are gzip (found by content, not by name)."""
    name = display_name(path)
    with contextlib.ExitStack() as stack:
        if os.fspath(path) == "-":
            raw = cast("io.BufferedReader", sys.stdin.buffer)
            if not hasattr(raw, "peek"):
                raw = io.BufferedReader(cast("io.RawIOBase", raw))
        else:
            try:
                raw = stack.enter_context(Path(path).open("rb"))
            except OSError as error:
                raise MissingFileError(_why_not_opened(path, error)) from None
        try:
            head = raw.peek(8)[:8]
        except IsADirectoryError as error:  # some systems say so only on reading
            raise MissingFileError(_why_not_opened(path, error)) from None
        for magic, (kind, command) in _FOREIGN.items():
            if head.startswith(magic):
                raise FormatError(
                    f"this is a {kind} archive; only plain text and gzip are read. "
                    f"Try: {command} {name} | tunesmith … -",
                    path=name,
                )
        if head.startswith(_UTF16):
            raise FormatError(
                f"the text starts with a UTF-16 byte-order mark; UTF-8 is expected. "
                f"Convert it with: iconv -f UTF-16 -t UTF-8 {name}",
                path=name,
                line=1,
            )
        if head.startswith(_GZIP):
            yield cast("BinaryIO", stack.enter_context(gzip.GzipFile(fileobj=raw, mode="rb")))
        else:
            yield raw


def _checked_lines(stream: BinaryIO, name: str) -> Iterator[str]:
    number = 0
    unfinished: list[bytes] = []  # blocks of a line whose end has not been seen yet
    block = _read_block(stream, name, number)
    block = block.removeprefix(b"\xef\xbb\xbf")
    while block:
        first, *others = block.split(b"\n")
        unfinished.append(first)
        if others:
            others.insert(0, b"".join(unfinished))
            unfinished = [others.pop()]
            for line in others:
                number += 1
                yield _decode(line, name, number)
        block = _read_block(stream, name, number)
    if rest := b"".join(unfinished):
        yield _decode(rest, name, number + 1)


def _read_block(stream: BinaryIO, name: str, number: int) -> bytes:
    try:
        return stream.read(_BLOCK)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(
            f"the gzip data is damaged or cut off after this line ({error}); get the file again",
            path=name,
            line=number,
        ) from None


def _decode(line: bytes, name: str, number: int) -> str:
    if line.endswith(b"\r"):
        line = line[:-1]
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FormatError(
            f"byte {error.start + 1} of the line (0x{line[error.start]:02x}) is not UTF-8 ({error.reason}). "
            f"If the text is in another encoding, convert it: iconv -f LATIN1 -t UTF-8 {name}",
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
            f"For old Macintosh line ends: tr '\\r' '\\n' < {name}",
            path=name,
            line=number,
        )
    return text


def _why_not_opened(path: StrPath, error: OSError) -> str:
    name = display_name(path)
    if isinstance(error, FileNotFoundError):
        parent = Path(path).parent
        if not parent.is_dir():
            return f"{name}: no such file; the folder {parent} does not exist either"
        near = _similar_names(Path(path))
        return f"{name}: no such file" + (f". Did you mean {near}?" if near else "")
    if isinstance(error, IsADirectoryError):
        return f"{name}: is a folder, a text file was expected"
    return f"{name}: cannot be opened ({error.strerror})"


def _similar_names(path: Path) -> str | None:
    import difflib

    try:
        names = sorted(entry.name for entry in path.parent.iterdir())
    except OSError:
        return None
    close = difflib.get_close_matches(path.name, names, n=1)
    return str(path.with_name(close[0])) if close else None


def write_lines(path: StrPath, lines: Iterable[str]) -> None:
    """Write lines to a file (gzip if the name ends in .gz) or to standard output for `-`, all or nothing."""
    with atomic_writer(path) as out:
        for line in lines:
            out.write(line)
            out.write("\n")


@contextlib.contextmanager
def atomic_writer(path: StrPath) -> Iterator[IO[str]]:
    """A text stream whose file appears complete under its name, or not at all, when the block ends.

    Gzip output carries no time stamp or name, so that the same lines give the same bytes.
    """
    if os.fspath(path) == "-":
        sys.stdout.flush()
        out = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="\n", write_through=False)
        try:
            yield out
            out.flush()
        finally:
            out.detach()
        return
    with atomic_bytes(path) as raw, contextlib.ExitStack() as stack:
        binary: IO[bytes] = raw
        if os.fspath(path).endswith(".gz"):
            binary = stack.enter_context(
                cast("IO[bytes]", gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0))
            )
        text = io.TextIOWrapper(cast("BinaryIO", binary), encoding="utf-8", newline="\n")
        yield text
        text.flush()
        text.detach()


@contextlib.contextmanager
def atomic_bytes(path: StrPath) -> Iterator[BinaryIO]:
    """A binary stream to a temporary file beside `path`, renamed over it at the end; removed on any error."""
    target = Path(path)
    if target.is_dir():
        raise MissingFileError(f"{target}: is a folder, a file name was expected")
    if target.exists() and not target.is_file():  # a pipe or /dev/null: nothing to rename
        with target.open("wb") as raw:
            yield raw
        return
    partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}.partial")
    try:
        stream = partial.open("xb")
    except FileNotFoundError:
        raise MissingFileError(f"{target}: the folder {target.parent} does not exist; create it first") from None
    except OSError as error:
        raise MissingFileError(f"{target}: cannot be written ({error.strerror})") from None
    try:
        with stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        os.replace(partial, target)  # noqa: PTH105 (atomic by definition)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
