"""Reference files of a test set."""

from __future__ import annotations

import glob
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tunesmith.errors import FormatError, MissingFileError
from tunesmith.io import StrPath, display_name, read_lines


@dataclass(frozen=True)
class References:
    """For each sentence the tuple of its references, with where they came from and what was noticed."""

    sentences: list[tuple[str, ...]]
    paths: list[str]
    notes: tuple[str, ...] = ()


def expand_paths(words: Sequence[str]) -> list[str]:
    """Paths of words that may be quoted globs; what a glob matches is in natural order (2 before 10)."""
    paths: list[str] = []
    for word in words:
        if word == "-" or Path(word).exists() or not glob.has_magic(word):
            paths.append(word)
            continue
        found = sorted(glob.glob(word), key=_natural)  # noqa: PTH207 (a pattern, not a path)
        if not found:
            raise MissingFileError(f"{word}: no file matches this pattern")
        paths += found
    return paths


def read_references(
    paths: Sequence[StrPath], expected: int | None = None, expected_name: str | None = None
) -> References:
    """Parallel reference files, line by line; `expected` lines, if given, because `expected_name` has so many."""
    names = [display_name(path) for path in paths]
    columns = [read_lines(path) for path in paths]
    size, owner = (expected, expected_name) if expected is not None else (len(columns[0]), names[0])
    for name, column in zip(names, columns, strict=True):
        if len(column) != size:
            raise FormatError(f"{len(column)} lines; {size} were expected, as in {owner}", path=name)
    return References(list(zip(*columns, strict=True)), names)


def _natural(path: str) -> list[tuple[bool, int, str]]:
    return [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in re.split(r"(\d+)", path)]
