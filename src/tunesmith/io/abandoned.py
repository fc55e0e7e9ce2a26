"""Files that generators read, which may be abandoned before their end."""

from __future__ import annotations

import io
import os
from pathlib import Path


class AbandonableFile(io.FileIO):
    """File of bytes that is closed when it is collected, without a ResourceWarning.

    A reader that stops at a mistake leaves the generator that owns the file to the garbage collector, which may
    finalise the file before the generator could close it.
    """

    def __del__(self) -> None:
        self.close()


def open_for_generator(path: Path) -> AbandonableFile:
    """Open a file of bytes, unbuffered, for a generator; OSError if that fails."""
    with path.open("rb", buffering=0) as stream:
        return AbandonableFile(os.dup(stream.fileno()), "rb")
