"""Memory of mapped files given back before the system has to ask for it."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray


def release(array: NDArray[Any]) -> None:
    """Take the pages of an array out of this process, where it lies in a file that is mapped for reading.

    They count as memory of the process from when they are first touched, for as long as the file is mapped: a
    pass over all candidates of a large run would leave all of them there. Nothing else changes: who reads the
    array again gets the same numbers, from the system's cache of files while that has room. An array that lies
    in memory of its own, or in a mapping that can be written to, stays as it is.
    """
    holder: object = array
    while isinstance(holder, np.ndarray):
        holder = holder.base
    if not isinstance(holder, mmap.mmap) or array.size == 0 or not hasattr(holder, "madvise"):
        return
    whole = np.frombuffer(holder, dtype=np.uint8)
    if whole.flags.writeable or not array.flags.c_contiguous:
        return
    begin = _address(array) - _address(whole)
    first = begin - begin % mmap.PAGESIZE
    holder.madvise(mmap.MADV_DONTNEED, first, begin + array.nbytes - first)


def _address(array: NDArray[Any]) -> int:
    address: int = array.__array_interface__["data"][0]
    return address
