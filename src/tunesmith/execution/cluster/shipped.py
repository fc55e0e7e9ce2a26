"""Folders and files sent to workers that do not see our file system: once to each, as packets."""

from __future__ import annotations

import contextlib
import weakref
from pathlib import Path

import numpy as np

from tunesmith.errors import ConfigError, FormatError
from tunesmith.execution.packets import Packet, pack, unpack
from tunesmith.execution.temporary import temporary_folder
from tunesmith.io.inside import inside


def packed_files(name: str) -> bytes:
    """Return a folder with all that is in it, or a file."""
    root = Path(name)
    if not root.exists():
        raise ConfigError(f"{name}: is to be sent to workers, and is not there")
    paths = sorted(each for each in root.rglob("*") if each.is_file()) if root.is_dir() else [root]
    arrays = {}
    for path in paths:
        below = path.relative_to(root).as_posix() if root.is_dir() else "."
        source = inside(root) / below if root.is_dir() else root
        arrays[below] = np.frombuffer(source.read_bytes(), dtype=np.uint8)
    return pack(Packet({"name": name}, arrays))


class Shelf:
    """What was sent to this process, in a temporary folder of its own that goes with it."""

    def __init__(self) -> None:
        self._places: dict[str, tuple[str, str]] = {}
        self._root: Path | None = None

    def put(self, digest: str, data: bytes) -> tuple[str, str]:
        """Write what `packed_files` gave, unless it is here already; its name, and where it is.

        digest: of the data, by which they are known.
        """
        if digest not in self._places:
            if self._root is None:
                stack = contextlib.ExitStack()
                self._root = stack.enter_context(temporary_folder("shipped"))
                weakref.finalize(self, stack.close)
            self._places[digest] = _written(data, self._root / digest)
        return self._places[digest]


def _written(data: bytes, folder: Path) -> tuple[str, str]:
    values, arrays = unpack(data)
    name = values.get("name") if isinstance(values, dict) else None
    if not isinstance(name, str):
        raise FormatError("a packet of files has no name")
    for below, array in arrays.items():
        path = folder / "file" if below == "." else folder / below
        if not path.resolve().is_relative_to(folder.resolve()) or array.dtype != np.uint8:
            raise FormatError(f"a packet of files has {below!r}, which is outside of it or no file")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(array.tobytes())
    return name, str(folder / "file" if "." in arrays else folder)
