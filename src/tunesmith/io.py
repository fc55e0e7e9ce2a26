r"""Text in and out: plain, gzip and `-`; checked UTF-8 with line numbers; atomic writes.

One line is what stands between two newlines. A carriage return before a newline or the end of the file is part of
the line end (CRLF files), a byte-order mark at the very start is skipped, and nothing else is changed: Unicode
line separators, tabs and other controls stay inside the line. What cannot be text (NUL, bytes that are not UTF-8,
a carriage return inside a line, a damaged or foreign archive) raises FormatError with `path:line`. What is written
can be read back: a line that would break in two or could not be read again is refused.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import itertools
import os
import re
import secrets
import shutil
import sys
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, BinaryIO, cast

from tunesmith.errors import ConfigError, FormatError, MissingFileError, TunesmithError

StrPath = str | os.PathLike[str]

_BLOCK = 1 << 20
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
_UNREADABLE = re.compile(r"[\n\r\0\ud800-\udfff]")
_UNREADABLE_NAMES = {"\n": "a newline", "\r": "a carriage return", "\0": "a NUL character"}
# Errors of the device while writing, as opposed to errors of the code that produces the lines.
_DEVICE_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}
_DESCRIPTORS = ("/dev/fd/", "/dev/std", "/proc/self/fd/")
_MOST_NAMES = 5000  # names of a folder that are compared to find what a user may have meant


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
            raw = _standard_input()
        else:
            try:
                raw = stack.enter_context(Path(_usable(path)).open("rb"))
            except OSError as error:
                raise MissingFileError(_why_not_opened(path, error)) from None
        try:
            head, stream = _with_head(raw)
        except OSError as error:  # a folder, on systems that say so only on reading
            raise MissingFileError(_why_not_opened(path, error)) from None
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
    block = b""
    while len(block) < len(_BOM) and (more := _read_block(stream, name, number)):
        block += more
    if block.startswith(_UTF16):
        raise FormatError(
            "the text starts with a UTF-16 byte-order mark; UTF-8 is expected. "
            f"Convert it with: iconv -f UTF-16 -t UTF-8 {_quoted(name)}",
            path=name,
            line=1,
        )
    block = block.removeprefix(_BOM) or _read_block(stream, name, number)
    while block:
        end = block.rfind(b"\n") + 1
        if end == 0:
            unfinished.append(block)
        else:
            for line in _decode_lines(b"".join([*unfinished, block[:end]]), name, number):
                number += 1
                yield line
            unfinished = [block[end:]]
        block = _read_block(stream, name, number)
    if rest := b"".join(unfinished):
        yield _decode(rest, name, number + 1)


def _read_block(stream: BinaryIO, name: str, number: int) -> bytes:
    try:
        return _read_some(stream, _BLOCK)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(
            f"the gzip data is damaged or cut off in or behind this line ({error}); get the file again",
            path=name,
            line=number + 1,
        ) from None
    except OSError as error:
        raise FormatError(f"cannot be read any further ({error.strerror})", path=name, line=number + 1) from None


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


def _quoted(name: str) -> str:
    """The name as a shell takes it, for commands in messages."""
    import shlex

    return "-" if name == "<stdin>" else shlex.quote(name)


def _usable(path: StrPath) -> StrPath:
    name = os.fspath(path)
    if not name:
        raise MissingFileError("the name of a file is empty")
    if "\0" in name:
        raise MissingFileError(f"{name!r}: a file name cannot hold a NUL character")
    return path


def _why_not_opened(path: StrPath, error: OSError) -> str:
    name = display_name(path)
    if isinstance(error, FileNotFoundError):
        if Path(path).is_symlink():
            return f"{name}: is a link to {Path(path).readlink()}, which does not exist"
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
        names = sorted(entry.name for entry in itertools.islice(path.parent.iterdir(), _MOST_NAMES))
    except OSError:
        return None
    close = difflib.get_close_matches(path.name, names, n=1)
    return str(path.with_name(close[0])) if close else None


def write_lines(path: StrPath, lines: Iterable[str]) -> None:
    """Write lines to a file (gzip if the name ends in .gz) or to standard output for `-`, all or nothing.

    What is read back is exactly these lines, or FormatError says why that cannot be.
    """
    with atomic_writer(path) as out:
        put_lines(out, lines, "<stdout>" if os.fspath(path) == "-" else os.fspath(path))


def put_lines(out: IO[str], lines: Iterable[str], name: str) -> None:
    """Write the lines of a whole text to a stream; `name` is for messages.

    A line that could not be read back (newline, carriage return, NUL, half a surrogate pair) is refused. A text
    whose first character is U+FEFF gets a byte-order mark before it, which readers skip instead of the character.
    """
    for number, line in enumerate(lines, 1):
        if found := _UNREADABLE.search(line):
            what = _UNREADABLE_NAMES.get(found.group(), "half a surrogate pair")
            raise FormatError(
                f"this line is not written: it holds {what} at position {found.start() + 1}, "
                "so it could not be read back as one line",
                path=name,
                line=number,
            )
        if number == 1 and line.startswith("\ufeff"):
            out.write("\ufeff")
        out.write(line)
        out.write("\n")


@contextlib.contextmanager
def atomic_writer(path: StrPath) -> Iterator[IO[str]]:
    """A text stream whose file appears complete under its name, or not at all, when the block ends.

    Gzip output carries no time stamp or name, so that the same lines give the same bytes.
    """
    with output_bytes(path) as binary, _text_layer(binary) as text:
        yield text


@contextlib.contextmanager
def output_bytes(path: StrPath) -> Iterator[IO[bytes]]:
    """A binary stream to a file that appears whole or not at all; `-` is standard output, `.gz` is compressed."""
    if os.fspath(path) == "-":
        sys.stdout.flush()
        with _device_errors("<stdout>"):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    with atomic_bytes(path) as raw, contextlib.ExitStack() as stack:
        stream: IO[bytes] = raw
        if os.fspath(path).endswith(".gz"):
            packed = gzip.GzipFile(filename="", fileobj=raw, mode="wb", compresslevel=6, mtime=0)
            stream = cast("IO[bytes]", stack.enter_context(packed))
        yield stream


@contextlib.contextmanager
def _text_layer(binary: IO[bytes]) -> Iterator[IO[str]]:
    text = io.TextIOWrapper(cast("BinaryIO", binary), encoding="utf-8", newline="\n")
    try:
        yield text
        text.flush()
    finally:
        # Leaves the stream below open. After a good end everything is flushed; after an error that one counts.
        with contextlib.suppress(OSError, ValueError):
            text.detach()


@contextlib.contextmanager
def _device_errors(name: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno not in _DEVICE_ERRORS:
            raise
        raise TunesmithError(f"{name}: cannot be written ({error.strerror})") from None


@contextlib.contextmanager
def atomic_bytes(path: StrPath) -> Iterator[BinaryIO]:
    """A binary stream to a temporary file beside `path`, renamed over it at the end; removed on any error.

    A link stays a link: the file it points to is replaced. A file that exists keeps its permissions.
    """
    named = Path(_usable(path))
    try:
        if named.is_dir():
            raise MissingFileError(f"{named}: is a folder, a file name was expected")
        exists = named.exists()
        if exists and not os.access(named, os.W_OK):
            raise MissingFileError(f"{named}: is write-protected")
        target = Path(os.path.realpath(named))
        # A pipe, an open descriptor or /dev/null is written to directly: there is nothing to rename.
        direct = exists and (not named.is_file() or str(named).startswith(_DESCRIPTORS))
        partial = None if direct else target.with_name(f".{target.name[:50]}.{secrets.token_hex(4)}.partial")
        stream = named.open("wb") if partial is None else partial.open("xb")
    except FileNotFoundError:
        raise MissingFileError(_why_not_written(named)) from None
    except OSError as error:
        raise MissingFileError(f"{named}: cannot be written ({error.strerror})") from None
    try:
        with _device_errors(str(named)), stream:
            if partial is not None and exists:
                shutil.copymode(target, partial)
            yield stream
            stream.flush()
            if partial is not None:
                os.fsync(stream.fileno())
        if partial is not None:
            try:
                partial.replace(target)
            except OSError as error:
                raise MissingFileError(f"{named}: cannot be written ({error.strerror})") from None
    except BaseException:
        if partial is not None:
            partial.unlink(missing_ok=True)
        raise


def _why_not_written(path: Path) -> str:
    if path.parent.is_dir():
        return f"{path}: cannot be made in the folder {path.parent}"
    return f"{path}: the folder {path.parent} does not exist; create it first"


def check_output(path: StrPath, inputs: Iterable[StrPath] = ()) -> None:
    """Refuse, before any work, a file that could not be written or that would replace one of the inputs."""
    name = os.fspath(path)
    if name == "-":
        return
    target = Path(_usable(path))
    if target.is_dir():
        raise MissingFileError(f"{target}: is a folder, a file name was expected")
    if target.is_file():
        for given in inputs:
            if os.fspath(given) != "-" and Path(given).exists() and Path(given).samefile(target):
                raise ConfigError(f"{target}: is an input; the result would replace it. Choose another -o")
        if not os.access(target, os.W_OK):
            raise MissingFileError(f"{target}: is write-protected")
    elif not target.exists() and not (target.parent.is_dir() and os.access(target.parent, os.W_OK)):
        raise MissingFileError(_why_not_written(target))


def make_folder(path: StrPath) -> Path:
    """Make the folder and those above it, unless it is there; MissingFileError if it cannot be written to.

    Call it before long work, so that a path that cannot be written costs no time.
    """
    folder = Path(path)
    if os.fspath(path) == "-":
        raise MissingFileError("-: a folder was expected; standard output is none")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise MissingFileError(f"{folder}: is a file, a folder was expected") from None
    except OSError as error:
        raise MissingFileError(f"{folder}: the folder cannot be made ({error.strerror})") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise MissingFileError(f"{folder}: no permission to write to this folder")
    return folder
