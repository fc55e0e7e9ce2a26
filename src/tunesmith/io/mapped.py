"""Releasing memory of mapped files before the system has to ask for it."""

from __future__ import annotations

import contextlib
import mmap
import os
import threading
import weakref
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

GROWTH = 128 << 20
"""Bytes of mapped files that may become memory of the process before some are released."""
_SECONDS = 0.02  # between two looks at them
_STATM = Path("/proc/self/statm")


def release(array: NDArray[Any]) -> None:
    """Release the pages of an array that lies in a file mapped for reading.

    Touched pages count as memory of the process for as long as the file is mapped: a pass over all candidates of a
    large run would keep all of them. Later reads give the same numbers, from the system's file cache while it has
    room. An array in memory of its own, or in a writable mapping, is left alone.
    """
    holder = _file_of(array)
    if holder is None or array.size == 0:
        return
    whole = np.frombuffer(holder, dtype=np.uint8)
    if not array.flags.c_contiguous:
        return
    begin = _address(array) - _address(whole)
    first = begin - begin % mmap.PAGESIZE
    holder.madvise(mmap.MADV_DONTNEED, first, begin + array.nbytes - first)


def watch(array: NDArray[Any]) -> None:
    """Let the watch that is on in this thread, if there is one, release the file that the array lies in."""
    holder, on = _file_of(array), _on.get()
    if on is not None and holder is not None:
        on.add(holder)


class Watch:
    """A look at memory while files are read: pages of watched files are released when many have been touched.

    A pass over all lists of a large run then takes no more memory than over a part of them. What is released is
    read again from the system's file cache where it is needed, so this changes no result. Only files mapped for
    reading.

    growth: bytes of mapped files that may be touched before that.
    """

    def __init__(self, growth: int = GROWTH) -> None:
        self._growth = growth
        self._files: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._least = _mapped_memory()

    def add(self, file: mmap.mmap) -> None:
        with self._lock:
            self._files.add(file)

    def look(self) -> None:
        """Release all watched files if memory of mapped files has grown by more than `growth`."""
        now = _mapped_memory()
        if now - self._least > self._growth:
            with self._lock:
                files = list(self._files)
            for file in files:
                with contextlib.suppress(ValueError):  # it was closed in between
                    file.madvise(mmap.MADV_DONTNEED)
            self._least = now = _mapped_memory()
        self._least = min(self._least, now)

    @contextlib.contextmanager
    def on(self) -> Iterator[None]:
        """Look from time to time, in a thread, and take files that are opened in this one (`watch`)."""
        if not _STATM.exists():
            yield
            return
        ended = threading.Event()

        def looking() -> None:
            while not ended.wait(_SECONDS):
                self.look()

        token = _on.set(self)
        thread = threading.Thread(target=looking, name="mapped files", daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()
            _on.reset(token)


_on: ContextVar[Watch | None] = ContextVar("watch", default=None)


def _file_of(array: NDArray[Any]) -> mmap.mmap | None:
    """Return the file mapped for reading that an array lies in; None without one, or if it cannot be released."""
    holder: object = array
    while isinstance(holder, np.ndarray):
        holder = holder.base
    if not isinstance(holder, mmap.mmap) or not hasattr(holder, "madvise"):
        return None
    return None if np.frombuffer(holder, dtype=np.uint8).flags.writeable else holder


def _mapped_memory() -> int:
    """Return the bytes of files that are memory of this process; 0 where the system does not say."""
    try:
        shared = int(_STATM.read_bytes().split()[2])
    except (OSError, IndexError, ValueError):
        return 0
    return shared * os.sysconf("SC_PAGE_SIZE")


def _address(array: NDArray[Any]) -> int:
    address: int = array.__array_interface__["data"][0]
    return address
