"""Maps from words to classes as tools write them: ours, mkcls, ClusterCat, and the paths of Brown clusters."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from tunesmith.checks import one_of
from tunesmith.errors import FormatError
from tunesmith.io import StrPath, display_name, read_lines, write_lines

if TYPE_CHECKING:
    from tunesmith.clustering.classes import WordClasses

FORMATS = ("tsv", "mkcls", "clustercat", "brown")
_BITS = re.compile("[01]+")
_LARGEST = 2**63 - 1
_FIRST_OF_MKCLS = 2  # 0 and 1 are its own


def read_map(path: StrPath, map_format: str = "auto") -> tuple[dict[str, str], dict[str, int] | None]:
    """Return classes of words, and their counts if every line has one. Damaged lines raise FormatError."""
    one_of(("auto", *FORMATS), map_format=map_format)
    name = display_name(path)
    lines = read_lines(path)
    is_brown = map_format == "brown" or (map_format == "auto" and _looks_like_paths(lines))
    classes: dict[str, str] = {}
    line_of: dict[str, int] = {}
    counts: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        try:
            word, label, count = _parse_path(line) if is_brown else _parse_pair(line)
        except ValueError as error:
            raise FormatError(str(error), path=name, line=number) from None
        if word in classes:
            raise FormatError(f"the word {word!r} is in line {line_of[word]} too", path=name, line=number)
        classes[word], line_of[word] = label, number
        if count is not None:
            counts[word] = count
    if not classes:
        raise FormatError("the map has no words; a line is word<TAB>class", path=name)
    return classes, counts if len(counts) == len(classes) else None


def write_map(path: StrPath, classes: WordClasses, map_format: str = "tsv") -> None:
    """Write a map in the format of a tool, all or nothing."""
    one_of(FORMATS, map_format=map_format)
    lines = {"tsv": _tsv, "clustercat": _clustercat, "mkcls": _mkcls, "brown": _brown}[map_format](classes)
    write_lines(path, lines)


def _tsv(classes: WordClasses) -> Iterator[str]:
    for word in classes:
        yield f"{word}\t{classes[word]}"


def _clustercat(classes: WordClasses) -> Iterator[str]:
    """Yield lines by class; classes are numbers from 0."""
    for number, words in enumerate(classes.members().values()):
        for word in words:
            yield f"{word}\t{number}"


def _mkcls(classes: WordClasses) -> Iterator[str]:
    """Yield lines by the bytes of the word; classes are numbers from 2."""
    number = {name: at for at, name in enumerate(classes.names, _FIRST_OF_MKCLS)}
    for word in sorted(classes, key=str.encode):
        yield f"{word}\t{number[classes[word]]}"


def _brown(classes: WordClasses) -> Iterator[str]:
    """Yield paths of equal length: the number of the class in binary digits. Classes have no hierarchy."""
    width = max(1, (len(classes.names) - 1).bit_length())
    for number, words in enumerate(classes.members().values()):
        for word in words:
            yield f"{number:0{width}b}\t{word}\t{(classes.counts or {}).get(word, 0)}"


def _looks_like_paths(lines: Iterable[str]) -> bool:
    fields = [line.split("\t") for line in lines]
    return bool(fields) and all(len(each) == 3 and _BITS.fullmatch(each[0]) for each in fields)


def _parse_pair(line: str) -> tuple[str, str, int | None]:
    """Parse `word<TAB>class`, and perhaps a count."""
    fields = line.split("\t")
    if len(fields) not in (2, 3):
        raise ValueError(f"expected word<TAB>class, got {line[:80]!r}")
    word, label = fields[:2]
    _check_word(word)
    if label.split() != [label]:
        raise ValueError(f"the class {label[:80]!r} is empty or holds white space")
    return word, label, _parse_count(fields[2]) if len(fields) == 3 else None


def _parse_path(line: str) -> tuple[str, str, int | None]:
    """Parse `bits<TAB>word<TAB>count`, as wcluster writes its paths."""
    fields = line.split("\t")
    if len(fields) != 3:
        raise ValueError(f"expected bits<TAB>word<TAB>count, got {line[:80]!r}")
    bits, word, count = fields
    if not _BITS.fullmatch(bits):
        raise ValueError(f"the path {bits[:80]!r} is not of digits 0 and 1")
    _check_word(word)
    return word, bits, _parse_count(count)


def _check_word(word: str) -> None:
    if word.split() != [word]:
        raise ValueError(f"the word {word[:80]!r} is empty or holds white space")


def _parse_count(text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= 19 and int(text) <= _LARGEST):
        raise ValueError(f"the count {text[:80]!r} is not a whole number from 0 to {_LARGEST}")
    return int(text)
