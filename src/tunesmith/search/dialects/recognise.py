"""Parsed first lines of a `|||` list, for detection by dialects."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

_BARS = re.compile(r"(?:^|[ \t])\|\|\|(?=[ \t]|$)")
_NUMBER = re.compile(r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?", re.ASCII)


class BarLine(NamedTuple):
    """Fields of a line, stripped, and their kinds: `labels` (Name= v), `pairs` (name=v), `numbers`, `text`."""

    fields: list[str]
    kinds: list[str]

    def names(self, field: int) -> list[str]:
        found = []
        for word in self.fields[field].split():
            name, equals, _ = word.rpartition("=")
            if equals and name:
                found.append(name)
        return found


def bar_lines(head: Sequence[str]) -> list[BarLine]:
    """Return the lines that have a sentence number and at least three fields."""
    found = []
    for line in head:
        fields = [field.strip() for field in _BARS.split(line)]
        if len(fields) >= 3 and fields[0].isascii() and fields[0].isdigit():
            found.append(BarLine(fields, ["number", "words", *map(_kind, fields[2:])]))
    return found


def _kind(field: str) -> str:
    words = field.split()
    if words and all(_NUMBER.fullmatch(word) for word in words):
        return "numbers"
    if any(word.endswith("=") and len(word) > 1 for word in words):
        return "labels"
    if words and all(_NUMBER.fullmatch(word.rpartition("=")[2]) and word.rfind("=") > 0 for word in words):
        return "pairs"
    return "text"
