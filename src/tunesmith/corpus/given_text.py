"""Text arguments of the library: names of files, or lines."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from tunesmith.checks import kind_of
from tunesmith.corpus.bitext import References, expand_paths
from tunesmith.corpus.reference_formats import read_any_references
from tunesmith.errors import ConfigError, MissingFileError, WrongTypeError
from tunesmith.io import StrPath, display_name, iter_lines, read_lines

GivenLines: TypeAlias = StrPath | Iterable[str]
GivenReferences: TypeAlias = StrPath | Sequence[StrPath] | Sequence[Sequence[str]] | References
ReferenceTexts: TypeAlias = Sequence[Sequence[str]]


def lines_of(given: GivenLines, what: str = "lines") -> Sequence[str]:
    """Return the lines of a file, or the given lines.   what: name of the argument in messages."""
    if isinstance(given, (str, os.PathLike)):
        return read_lines(_file(given, what))
    lines: Sequence[Any] = given if isinstance(given, (list, tuple)) else _listed(given, what, _LINES)
    _check_strings(lines, what)
    return lines


def line_stream(given: GivenLines, what: str = "lines") -> Iterator[str]:
    """Yield the lines of a file, or the given lines, one by one; see `lines_of`."""
    if isinstance(given, (str, os.PathLike)):
        return iter_lines(_file(given, what))
    if isinstance(given, (bytes, Mapping)) or not isinstance(given, Iterable):
        raise WrongTypeError(f"{what} must be {_LINES}, got {kind_of(given)}")
    if isinstance(given, (list, tuple)):
        _check_strings(given, what)
        return iter(given)
    return _strings(given, what)


def _check_strings(lines: Sequence[Any], what: str) -> None:
    if set(map(type, lines)) <= {str}:  # half the time of asking one by one; lines are many
        return
    for each in lines:
        if not isinstance(each, str):
            raise WrongTypeError(f"{what} must be {_LINES}, got a list with {kind_of(each)}")


def _strings(given: Iterable[Any], what: str) -> Iterator[str]:
    for each in given:
        if not isinstance(each, str):
            raise WrongTypeError(f"{what} must be {_LINES}, got a list with {kind_of(each)}")
        yield each


def references_of(
    given: GivenReferences, sentences: int | None = None, what: str = "references"
) -> ReferenceTexts:
    """Return the references of each sentence, from files or texts.

    given: a file (a quoted glob for several), a list of files, a list with one text for each sentence, or a list
        with a list of texts for each sentence. Strings of a list are files if all of them name existing files.
        sentences: required number, if known; used in messages only, the caller checks it.
    """
    if isinstance(given, References):
        return given.sentences
    if isinstance(given, (str, os.PathLike)):
        return read_any_references(expand_paths([os.fspath(given)])).sentences
    items: Sequence[Any] = given if isinstance(given, (list, tuple)) else _listed(given, what, _REFERENCES)
    if items and all(isinstance(each, (str, os.PathLike)) for each in items):
        return _of_strings(items, sentences)
    for number, each in enumerate(items):
        if isinstance(each, (list, tuple)) and all(isinstance(text, str) for text in each):
            continue
        raise WrongTypeError(f"{what} must be {_REFERENCES}, got {kind_of(each)} for sentence {number}")
    if sentences is not None and len(items) != sentences and items and all(len(e) == sentences for e in items):
        raise ConfigError(
            f"{what} has {len(items)} lists of {sentences} texts, a list for each file as sacrebleu takes them; "
            "give a list for each sentence: list(zip(*references))"
        )
    return items


def _of_strings(items: Sequence[StrPath], sentences: int | None) -> ReferenceTexts:
    """Read files if all strings name files; otherwise each string is the reference of one sentence."""
    names = [os.fspath(each) for each in items]
    paths = [isinstance(each, os.PathLike) or _is_file(each) for each in items]
    if all(paths):
        return read_any_references(expand_paths(names)).sentences
    missing = names[paths.index(False)]
    if any(paths) or (sentences not in (None, len(names)) and not any(" " in name for name in names)):
        lines = "their lines"
        if not any(paths):
            lines = f"a line for each sentence ({sentences} expected, {len(names)} given)"
        raise MissingFileError(f"{missing}: no such file; give the files of the references, or {lines}")
    return [(name,) for name in names]


def _file(given: StrPath, what: str) -> StrPath:
    """Return the path of a file; MissingFileError for a sentence."""
    if isinstance(given, str) and " " in given and not _exists(given):
        raise MissingFileError(
            f"{display_name(given)}: no such file; give {what} as a list of lines, or their file"
        )
    return given


def _exists(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):
        return False


def _is_file(name: str) -> bool:
    try:
        return bool(name) and Path(name).is_file()
    except (OSError, ValueError):  # too long for a file name, or contains NUL
        return False


_LINES = "a file or a list of lines"
_REFERENCES = "files, or a list with a text or a list of texts for each sentence"


def _listed(given: Any, what: str, wanted: str) -> list[Any]:
    if isinstance(given, (bytes, Mapping)) or not isinstance(given, Iterable):
        raise WrongTypeError(f"{what} must be {wanted}, got {kind_of(given)}")
    return list(given)
