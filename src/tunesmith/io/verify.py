"""Verification of file checksums: at once, or in the background until a result is returned.

A file that is read completely when it is opened is verified at that time. Large mapped arrays, of which a program
may touch a small part, are verified by a thread while the program works: code that returns results waits for it
first. The thread reads through a buffer and not through the mapping, so that the pages of the file do not count as
memory of the process.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

from tunesmith import _core
from tunesmith.errors import FormatError
from tunesmith.io.abandoned import open_for_generator

_PIECE = 1 << 26  # bytes; interrupts are handled between pieces


class BackgroundCheck:
    """A check that a thread runs. `finish` waits for it and raises its error.

    check: yields between pieces and raises FormatError for damage. When the program ends, the thread ends after
    its current piece: it is not a daemon, which could not leave the core in order.
    """

    def __init__(self, check: Callable[[], Iterator[object]]) -> None:
        self._check, self._done = check, False
        self._error: Exception | None = None
        self._thread = threading.Thread(target=self._work, name="tunesmith check")
        self._thread.start()

    def _work(self) -> None:
        try:
            for _ in self._check():
                if not threading.main_thread().is_alive():
                    return
        except Exception as error:
            self._error = error
        self._done = True

    def finish(self) -> None:
        """Wait for the end of the check; FormatError for damage."""
        self._thread.join()
        if not self._done:  # in a child of the process that began the check
            self._work()
        if self._error is not None:
            raise self._error


class FileChecks:
    """The files of a folder with the checksums of its manifest; each is read once."""

    def __init__(self, folder: Path, files: Mapping[str, Mapping[str, Any]]) -> None:
        self._folder, self._files = folder, files
        self._whole: set[str] = set()
        self._begun: dict[str, BackgroundCheck] = {}

    def now(self, *names: str) -> None:
        """Verify these files unless they are verified already; FormatError names a damaged file."""
        for name in names:
            if (begun := self._begun.get(name)) is not None:
                begun.finish()
            for _ in self._look(name):
                pass

    def begin(self, *names: str) -> None:
        """Verify these files in the background; users of the files call `finish` before they return results."""
        new = [name for name in names if name not in self._whole and name not in self._begun]
        if not new:
            return
        # Opened now: another process may replace the files while these are mapped.
        files = {name: _opened(self._folder / name) for name in new}
        process = os.getpid()

        def look() -> Iterator[object]:
            if os.getpid() != process:  # a child of this process, which shares the file positions
                files.clear()
            with contextlib.ExitStack() as stack:
                here = {name: stack.enter_context(files.pop(name)) for name in new if name in files}
                for name in new:
                    yield from self._look(name, here.get(name))

        self._begun.update(dict.fromkeys(new, BackgroundCheck(look)))

    def finish(self) -> None:
        """Wait for all files whose verification has begun; FormatError names a damaged file."""
        for name in list(self._begun):  # another thread may begin further checks meanwhile
            self.now(name)
            self._begun.pop(name, None)

    def _look(self, name: str, file: IO[bytes] | None = None) -> Iterator[object]:
        if name not in self._whole:
            yield from verified(self._folder / name, self._files[name].get("crc32"), file)
            self._whole.add(name)


def verified(path: Path, wanted: object, file: IO[bytes] | None = None) -> Iterator[int]:
    """Yield the size of each piece of a file; FormatError at the end if the checksum differs.

    file: the file if already open; it is closed.
    """
    value = 0
    for value, size in _pieces(path, file):  # noqa: B007
        yield size
    if f"{value:08x}" != wanted:
        raise FormatError(f"the checksum is {value:08x}, expected {wanted}; the file is damaged", path=str(path))


def file_checksum(path: Path) -> str:
    """Compute the CRC-32 of a file as eight hexadecimal digits; FormatError if it cannot be read."""
    value = 0
    for value, _ in _pieces(path):  # noqa: B007
        pass
    return f"{value:08x}"


def _opened(path: Path) -> IO[bytes]:
    try:
        return open_for_generator(path)
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error})", path=str(path)) from None


def _pieces(path: Path, file: IO[bytes] | None = None) -> Iterator[tuple[int, int]]:
    """Yield the CRC-32 up to the end of each piece of a file, and the size of the piece."""
    value, size = 0, 1
    try:
        with _opened(path) if file is None else file as stream:
            while size:
                value, size = _core.crc32_of_file(stream.fileno(), _PIECE, value)
                yield value, size
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror or error})", path=str(path)) from None


def bytes_checksum(data: bytes) -> str:
    return f"{_core.crc32(data):08x}"
