"""Parallel text: two sides of equal length, and several references for each sentence."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tunesmith.errors import ConfigError, FormatError, MissingFileError
from tunesmith.io import StrPath, display_name, read_lines


@dataclass(frozen=True)
class Bitext:
    """Sentence pairs: `source[i]` is translated by `target[i]`.

    notes: remarks on the files for the user, one sentence each; the command line prints them.
    """

    source: list[str]
    target: list[str]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if len(self.source) != len(self.target):
            raise FormatError(f"{len(self.source)} source sentences but {len(self.target)} target sentences")

    def __len__(self) -> int:
        return len(self.source)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        return zip(self.source, self.target, strict=True)


@dataclass(frozen=True)
class References:
    """The references of each sentence, in the order of the files; a sentence may have fewer than there are files.

    A reference repeated for a sentence (files padded to equal number) is kept as it is. `columns` are the lines of
    each file of `paths`, empty where it has no reference: `sentences[i][j]` need not come from file j.
    """

    sentences: list[tuple[str, ...]]
    paths: tuple[str, ...] = ()
    columns: tuple[list[str], ...] = ()
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.sentences)

    def __iter__(self) -> Iterator[tuple[str, ...]]:
        return iter(self.sentences)


def read_bitext(source_path: StrPath, target_path: StrPath) -> Bitext:
    """Read two files line by line as pairs.

    Blank lines at the end of the longer file are trimmed and noted; any other difference in length is an error.
    """
    paths = [source_path, target_path]
    _refuse_repeated(paths)
    (source, target), notes = _equal_lengths(paths, [read_lines(path) for path in paths])
    return Bitext(source, target, tuple(notes))


def read_references(
    paths: Sequence[StrPath], expected: int | None = None, expected_name: str = "the hypotheses"
) -> References:
    """Read reference files: line i of every file is a reference of sentence i.

    An empty line means that the sentence has one reference fewer (sacrebleu's convention for a variable number of
    references); a sentence without any reference is an error. `expected` is the number of sentences there must
    be, and `expected_name` says in the message where that number comes from.
    """
    if not paths:
        raise ConfigError("no reference file was given")
    _refuse_repeated(paths)
    files, notes = _equal_lengths(paths, [read_lines(path) for path in paths], expected, expected_name)
    sentences: list[tuple[str, ...]] = []
    empty = 0
    for number, row in enumerate(zip(*files, strict=True), 1):
        present = tuple(reference for reference in row if reference.strip())
        if not present:
            others = f", and so are those of the other {len(paths) - 1} files" if len(paths) > 1 else ""
            raise FormatError(
                f"the reference is empty{others}; every sentence needs at least one",
                path=display_name(paths[0]),
                line=number,
            )
        empty += len(row) - len(present)
        sentences.append(present)
    if empty:
        lines, have = ("line: that sentence", "has") if empty == 1 else ("lines: those sentences", "have")
        notes.append(f"{empty} empty reference {lines} {have} fewer references than there are files")
    return References(sentences, tuple(display_name(path) for path in paths), tuple(files), tuple(notes))


def expand_paths(words: Sequence[str]) -> list[str]:
    """Return names as they are, quoted globs as the files they match (en.2 before en.10); each file once.

    A name that exists is never read as a glob.
    """
    found: list[str] = []
    for word in words:
        if word == "-" or Path(word).exists() or not glob.has_magic(word):
            found.append(word)
            continue
        matches = sorted(filter(os.path.isfile, glob.glob(word)), key=_natural_order)  # noqa: PTH207 (as typed)
        if not matches:
            raise MissingFileError(f"{word}: no file matches this pattern, and none has it as its name")
        found += matches
    _refuse_repeated(found)
    return found


def _natural_order(name: str) -> tuple[list[tuple[int, int | str]], str]:
    """Return a key that compares runs of digits as numbers; of equal numbers (01 and 1) the text decides."""
    parts = re.split(r"([0-9]+)", name)
    return [(0, int(part)) if part.isascii() and part.isdigit() else (1, part) for part in parts if part], name


def _refuse_repeated(paths: Sequence[StrPath]) -> None:
    seen: dict[str, str] = {}
    for path in paths:
        name = os.fspath(path)
        key = name if name == "-" else os.path.realpath(name) if "\0" not in name else name
        if key in seen:
            same = "" if seen[key] == name else f" (it is the same file as {seen[key]})"
            raise ConfigError(f"{display_name(name)}: was given twice{same}")
        seen[key] = name


def _equal_lengths(
    paths: Sequence[StrPath], files: list[list[str]], expected: int | None = None, expected_name: str = ""
) -> tuple[list[list[str]], list[str]]:
    """Trim blank lines at the ends of longer files, say so, and refuse every other difference."""
    names = [display_name(path) for path in paths]
    size = min(map(len, files)) if expected is None else expected
    notes = []
    for at, (name, lines) in enumerate(zip(names, files, strict=True)):
        if len(lines) > size and not any(line.strip() for line in lines[size:]):
            blank = len(lines) - size
            notes.append(f"{name}: {blank} blank {'line' if blank == 1 else 'lines'} at the end left out")
            files[at] = lines[:size]
    wrong = next((at for at, lines in enumerate(files) if len(lines) != size), None)
    if wrong is None:
        return files, notes
    if expected is not None:
        raise FormatError(
            f"has {_lines(len(files[wrong]))}, but {expected_name} {expected}; they must have equally many",
            path=names[wrong],
        )
    counts = ", ".join(f"{name} has {_lines(len(lines))}" for name, lines in zip(names, files, strict=True))
    raise FormatError(
        f"{counts}; line i of one file must belong to line i of the other", path=names[wrong], line=size + 1
    )


def _lines(count: int) -> str:
    return f"{count} line" if count == 1 else f"{count} lines"
