"""Bytes and text out: plain, gzip and `-`; a file appears whole or not at all.

What is written can be read back: a line that would break in two or could not be read again is refused.
"""

from __future__ import annotations

import contextlib
import errno
import gzip
import io
import itertools
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, BinaryIO, cast

from tunesmith.errors import ConfigError, FormatError, MissingFileError, TunesmithError
from tunesmith.io.inside import is_below, writable
from tunesmith.io.leftovers import lock, partial_path, remove_abandoned
from tunesmith.io.paths import StrPath, as_path, usable

_UNREADABLE = re.compile(r"[\n\r\0\ud800-\udfff]")
_UNREADABLE_REST = re.compile(r"[\r\0\ud800-\udfff]")
_LINES = 10_000  # of a file that are looked at together
_UNREADABLE_NAMES = {"\n": "a newline", "\r": "a carriage return", "\0": "a NUL character"}
# Errors of the device while writing, as opposed to errors of the code that produces the lines.
_DEVICE_ERRORS = {errno.EBADF, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS}
_DESCRIPTORS = ("/dev/fd/", "/dev/std", "/proc/self/fd/")


def write_lines(path: StrPath, lines: Iterable[str]) -> None:
    """Write lines to a file (gzip if the name ends in .gz) or to standard output for `-`, all or nothing.

    What is read back is exactly these lines, or FormatError says why that cannot be.
    """
    if os.fspath(path) == "-":
        with atomic_writer(path) as out:
            put_lines(out, lines, "<stdout>")
        return
    rest = iter(lines)
    with atomic_writer(path) as out:
        put_lines(out, itertools.islice(rest, 1), os.fspath(path))
        done = 1
        while block := list(itertools.islice(rest, _LINES)):
            text = "\n".join([*block, ""])
            if text.count("\n") == len(block) and not _UNREADABLE_REST.search(text):
                out.write(text)
            else:
                put_lines(out, block, os.fspath(path), done)
            done += len(block)


def put_lines(out: IO[str], lines: Iterable[str], name: str, before: int = 0) -> None:
    """Write the lines of a text to a stream; `name` is for messages, `before` of its lines have been written.

    A line that could not be read back (newline, carriage return, NUL, half a surrogate pair) is refused. A text
    whose first character is U+FEFF gets a byte-order mark before it, which readers skip instead of the character.
    """
    for number, line in enumerate(lines, before + 1):
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
    """Open a text stream whose file appears complete under its name, or not at all, when the block ends.

    Gzip output carries no time stamp or name, so that the same lines give the same bytes.
    """
    with output_bytes(path) as binary, _text_layer(binary) as text:
        yield text


@contextlib.contextmanager
def output_bytes(path: StrPath) -> Iterator[IO[bytes]]:
    """Open a binary stream to a file, written whole or not at all; `-` is standard output, `.gz` compressed."""
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
    """Open a binary stream to a temporary file next to `path`, renamed over it at the end; removed on any error.

    A link stays a link: the file it points to is replaced. A file that exists keeps its permissions. Temporary
    files for `path` that killed processes left are removed. Inside a folder of tunesmith no link is followed.
    """
    named = as_path(usable(path))
    try:
        if named.is_dir():
            raise MissingFileError(f"{named}: is a folder; expected the name of a file")
        exists = named.exists()
        if exists and not writable(named):
            raise MissingFileError(f"{named}: is write-protected")
        target = named if is_below(named) else Path(os.path.realpath(named))
        # A pipe, an open descriptor or /dev/null is written to directly: there is nothing to rename.
        direct = exists and (not named.is_file() or str(named).startswith(_DESCRIPTORS))
        partial = None if direct else partial_path(target)
        if partial is not None:
            remove_abandoned(target)
        stream = named.open("wb") if partial is None else partial.open("xb")
    except FileNotFoundError:
        raise MissingFileError(_why_not_written(named)) from None
    except OSError as error:
        raise MissingFileError(f"{named}: cannot be written ({error.strerror})") from None
    try:
        with _device_errors(str(named)), stream:
            if partial is not None:
                lock(stream.fileno())
                if exists:
                    os.fchmod(stream.fileno(), stat.S_IMODE(target.stat().st_mode))
            yield stream
            stream.flush()
            if partial is not None:
                os.fsync(stream.fileno())
                _rename(partial, target, named)  # before the lock ends with the stream
    except BaseException:
        if partial is not None:
            partial.unlink(missing_ok=True)
        raise


def _rename(partial: Path, target: Path, named: Path) -> None:
    try:
        partial.replace(target)
    except OSError as error:
        raise MissingFileError(f"{named}: cannot be written ({error.strerror})") from None


def _why_not_written(path: Path) -> str:
    if path.parent.is_dir():
        return f"{path}: cannot be made in the folder {path.parent}"
    return f"{path}: the folder {path.parent} does not exist; create it first"


def check_output(path: StrPath, inputs: Iterable[StrPath] = ()) -> None:
    """Refuse, before any work, a file that could not be written or that would replace one of the inputs."""
    name = os.fspath(path)
    if name == "-":
        return
    target = as_path(usable(path))
    if target.is_dir():
        raise MissingFileError(f"{target}: is a folder; expected the name of a file")
    if target.is_file():
        for given in inputs:
            if os.fspath(given) != "-" and as_path(given).exists() and as_path(given).samefile(target):
                raise ConfigError(f"{target}: is an input; the result would replace it. Choose another -o")
        if not writable(target):
            raise MissingFileError(f"{target}: is write-protected")
    elif not target.exists() and not (target.parent.is_dir() and writable(target.parent)):
        raise MissingFileError(_why_not_written(target))


def check_folder(path: StrPath) -> None:
    """Refuse, before any work, a folder that `make_folder` could not make; nothing is written."""
    folder = as_path(usable(path))
    there = next(each for each in (folder, *folder.absolute().parents) if each.exists())
    if not there.is_dir():
        raise MissingFileError(f"{there}: is a file; expected a folder")
    if not os.access(there, os.W_OK | os.X_OK):
        raise MissingFileError(f"{there}: no permission to write to this folder")


def make_folder(path: StrPath) -> Path:
    """Make the folder and those above it, unless it is there; MissingFileError if it cannot be written to.

    Call it before long work, so that a path that cannot be written costs no time.
    """
    folder = as_path(path)
    if os.fspath(path) == "-":
        raise MissingFileError("-: is standard output; expected a folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        raise MissingFileError(f"{folder}: is a file; expected a folder") from None
    except OSError as error:
        raise MissingFileError(f"{folder}: the folder cannot be made ({error.strerror})") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise MissingFileError(f"{folder}: no permission to write to this folder")
    return folder
