"""Releasing memory of mapped files before the system has to ask for it."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
from numpy.typing import NDArray


def release(array: NDArray[Any]) -> None:
    """Release the pages of an array that lies in a file mapped for reading.

    Touched pages count as memory of the process for as long as the file is mapped: a pass over all candidates of a
    large run would keep all of them. Later reads give the same numbers, from the system's file cache while it has
    room. An array in memory of its own, or in a writable mapping, is left alone.
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
