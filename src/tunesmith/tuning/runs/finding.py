"""Searching run directories below a folder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tunesmith.errors import MissingFileError
from tunesmith.tuning.runs.status import is_run_or_damaged

DEEPEST = 3
"""Depth of the search."""


def find_runs(folders: Sequence[Path]) -> list[Path]:
    """Find run directories among these folders and a few levels below them, in order of their names."""
    found: list[Path] = []
    for folder in folders:
        if not folder.is_dir():
            raise MissingFileError(f"{folder}: no such folder")
        level = [folder]
        for _ in range(DEEPEST + 1):
            here = {each for each in level if is_run_or_damaged(each)}
            found += here
            below = [each for each in level if each not in here]
            level = sorted(entry for each in below for entry in visible_folders(each))
    return sorted(dict.fromkeys(found))


def visible_folders(folder: Path) -> Iterator[Path]:
    """Return subfolders whose names do not begin with a dot; none if the folder cannot be read."""
    try:
        yield from [entry for entry in folder.iterdir() if entry.is_dir() and not entry.name.startswith(".")]
    except OSError:
        return
