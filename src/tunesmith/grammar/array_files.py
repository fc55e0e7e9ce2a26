"""The arrays of a new table, written piece by piece; and entries of ragged arrays gathered."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import FormatError
from tunesmith.grammar.table import RuleTable

OFFSETS = ("source_offsets", "source_rules", "target_offsets", "link_offsets")


class ArrayFiles:
    """Files of arrays in a folder, which grow by appending. Arrays of offsets begin with 0."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self._folder, self._stack = folder, stack
        self._files: dict[str, BinaryIO] = {}
        self._ends = dict.fromkeys(OFFSETS, 0)
        for name in OFFSETS:
            self.put(name, np.zeros(1, dtype="<u8"))

    def put(self, name: str, values: NDArray[Any]) -> None:
        """Append values to the array."""
        if name not in self._files:
            self._files[name] = self._stack.enter_context((self._folder / name).open("wb"))
        self._files[name].write(np.ascontiguousarray(values).tobytes())

    def put_offsets(self, name: str, sizes: NDArray[Any]) -> None:
        """Append the end offsets of entries with these sizes."""
        ends = self._ends[name] + np.cumsum(sizes, dtype=np.int64)
        self.put(name, ends.astype("<u8"))
        if len(ends):
            self._ends[name] = int(ends[-1])


def gather(
    table: RuleTable, offsets: str, values: str, chosen: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the concatenated values of the chosen entries, and the number of values of each."""
    begins = table.array(offsets)[chosen].astype(np.int64)
    sizes = table.array(offsets)[chosen + 1].astype(np.int64) - begins
    data = table.array(values)
    if (begins < 0).any() or (sizes < 0).any() or (begins + sizes > len(data)).any():
        raise FormatError("points outside; the file is damaged", path=str(table.folder / offsets))
    ends = np.cumsum(sizes)
    within = np.arange(int(sizes.sum())) - np.repeat(ends - sizes, sizes)
    return data[np.repeat(begins, sizes) + within], sizes
