"""Arrays in numpy's own format."""

from __future__ import annotations

from typing import IO, Any

import numpy as np
from numpy.typing import NDArray


class _Writer:
    """A stream that numpy does not take for a file: it would write past it, and not say why a write failed."""

    def __init__(self, out: IO[bytes]) -> None:
        self.write = out.write


def save_array(out: IO[bytes], array: NDArray[Any]) -> None:
    """Write the array as `np.save` does; a full disk is the OSError of the system."""
    np.lib.format.write_array(_Writer(out), np.asanyarray(array), allow_pickle=False)
