"""Arrays in NumPy's format (`.npy`), as we write them: plain numbers. Anything else is damage.

NumPy's own reader evaluates the header, and raises whatever that gives (TokenError, SyntaxError, MemoryError, …).
Here the header is compared with the few forms that `np.save` writes, and the size of the file with what it says
before any memory is taken.
"""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import FormatError, MissingFileError
from tunesmith.io.paths import why_not_opened

_MAGIC = b"\x93NUMPY\x01\x00"
_LONGEST_HEADER = 1000
_HEADER = re.compile(
    rb"\{'descr': '([<|](?:b1|[iu][1248]|f[248]))', 'fortran_order': (True|False), "
    rb"'shape': \((\d{1,18}(?:, \d{1,18})*,?)?\), \} *\n"
)


def read_npy(path: Path, advice: str, *, dimensions: int, kinds: str = "biuf") -> NDArray[Any]:
    """Return the array in a file; FormatError with `advice`, the way out, where there is none.

    kinds: what the numbers may be, as letters of `dtype.kind`.   dimensions: how many, None for any.
    """
    name = str(path)
    try:
        with path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            begin = stream.read(len(_MAGIC) + 2)
            length = int.from_bytes(begin[len(_MAGIC) :], "little")
            if not begin.startswith(_MAGIC) or length > _LONGEST_HEADER:
                raise FormatError(f"does not begin as an array does; {advice}", path=name)
            found = _HEADER.fullmatch(stream.read(length))
            if found is None:
                raise FormatError(f"the header of the array is damaged; {advice}", path=name)
            dtype = np.dtype(found[1].decode())
            shape = tuple(int(each) for each in (found[3] or b"").split(b",") if each.strip())
            expected = len(begin) + length + math.prod(shape) * dtype.itemsize
            if size != expected:
                raise FormatError(
                    f"expected {expected} bytes, got {size}; the array is damaged or cut off; {advice}", path=name
                )
            if dtype.kind not in kinds or dimensions != len(shape):
                raise FormatError(f"the array has another type or shape than it should; {advice}", path=name)
            array = np.empty(shape, dtype, order="F" if found[2] == b"True" else "C")
            if stream.readinto(array.reshape(-1, order="A").view(np.uint8)) != array.nbytes:  # type: ignore[arg-type]
                raise FormatError(f"the array is cut off; {advice}", path=name)
            return array
    except OSError as error:
        raise MissingFileError(f"{why_not_opened(path, error)}; {advice}") from None


class _Writer:
    """A stream that numpy does not take for a file: it would write past it, and not say why a write failed."""

    def __init__(self, out: IO[bytes]) -> None:
        self.write = out.write


def save_array(out: IO[bytes], array: NDArray[Any]) -> None:
    """Write the array as `np.save` does; a full disk is the OSError of the system."""
    np.lib.format.write_array(_Writer(out), np.asanyarray(array), allow_pickle=False)
