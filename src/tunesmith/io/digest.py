"""Digests of everything that is compared by content: inputs, settings, n-best lists, the program itself.

XXH3 with 128 bits (xxhash): it detects changes and, like a checksum, does not resist attacks. Files of tunesmith
carry CRC-32 checksums of their own (`io/seals.py`), which other tools can compute.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import xxhash
from numpy.typing import NDArray

_BLOCK = 1 << 22


class Digest:
    """Digest of all data added, in order."""

    def __init__(self) -> None:
        self._state = xxhash.xxh3_128()

    def add(self, data: bytes | str) -> None:
        """Add bytes, or text as UTF-8. Parts are not separated: add a separator or their length too."""
        self._state.update(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data)

    def add_array(self, array: NDArray[np.generic]) -> None:
        """Add the values of an array."""
        self._state.update(np.ascontiguousarray(array).tobytes())

    def hex(self, digits: int = 16) -> str:
        """Return the first hexadecimal digits of the digest, 32 at most."""
        return self._state.hexdigest()[:digits]


def file_digest(path: Path, digits: int = 32) -> str:
    """Compute the digest of the bytes of a file."""
    digest = Digest()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            digest.add(block)
    return digest.hex(digits)
