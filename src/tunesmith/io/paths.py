"""File names: how messages show them, whether they can be used, and suggestions for misspelt names."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

from tunesmith.errors import MissingFileError

StrPath = str | os.PathLike[str]

_MOST_NAMES = 5000  # names of a folder that are compared for a suggestion


def display_name(path: StrPath) -> str:
    """Return the name of a path for messages: `-` is standard input."""
    return "<stdin>" if os.fspath(path) == "-" else os.fspath(path)


def as_path(path: StrPath) -> Path:
    """Convert to a path; a path inside a folder of tunesmith stays one (see `inside`)."""
    return path if isinstance(path, Path) else Path(path)


def usable(path: StrPath) -> StrPath:
    name = os.fspath(path)
    if not name:
        raise MissingFileError("the name of a file is empty")
    if "\0" in name:
        raise MissingFileError(f"{name!r}: a file name cannot hold a NUL character")
    return path


def why_not_opened(path: StrPath, error: OSError) -> str:
    name = display_name(path)
    if isinstance(error, FileNotFoundError):
        if as_path(path).is_symlink():
            return f"{name}: is a link to {as_path(path).readlink()}, which does not exist"
        parent = as_path(path).parent
        if not parent.is_dir():
            return f"{name}: no such file; the folder {parent} does not exist either"
        near = _similar_names(as_path(path))
        return f"{name}: no such file" + (f". Did you mean {near}?" if near else "")
    if isinstance(error, IsADirectoryError):
        return f"{name}: is a folder; expected a text file"
    return f"{name}: cannot be opened ({error.strerror})"


def _similar_names(path: Path) -> str | None:
    import difflib

    try:
        names = sorted(entry.name for entry in itertools.islice(path.parent.iterdir(), _MOST_NAMES))
    except OSError:
        return None
    close = difflib.get_close_matches(path.name, names, n=1)
    return str(path.with_name(close[0])) if close else None
