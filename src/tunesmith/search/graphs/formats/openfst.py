"""Lattices of OpenFst as text (`fstprint`): acceptors, or transducers whose output is the translation."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal

from tunesmith.errors import FormatError
from tunesmith.io import iter_lines
from tunesmith.search.graphs.formats.arcs import ArcBuilder
from tunesmith.search.graphs.formats.base import GraphFormat, Names, graph_formats
from tunesmith.search.graphs.formats.lines import Reading
from tunesmith.search.graphs.graph import SearchGraph

_ARC = re.compile(r"[0-9]+\s+[0-9]+\s+\S+(\s+\S+){0,2}\s*")
_FINAL = re.compile(r"[0-9]+(\s+\S+)?\s*")
_EPSILON = ("<eps>", "<epsilon>")
FEATURE = "score"


@graph_formats.register("openfst")
@dataclass(frozen=True)
class OpenFst(GraphFormat):
    """One lattice in a file: `from to word [cost]` for an arc, `state [cost]` for an end.

    The first line has the start. Costs are small for good translations: the feature `score` is minus the cost.
    `<eps>` is not a word. Arcs and ends whose cost is Infinity are left out.

    symbols: file of `word number` for labels that are numbers; `words` where labels are words in any case.
    kind: an acceptor has one label, a transducer two. `auto`: by the number of fields; lines with four are those
        of an acceptor where the last field of all of them is a number.
    """

    symbols: str | None = None
    kind: Literal["auto", "acceptor", "transducer"] = "auto"
    name: ClassVar[str] = "openfst"

    @property
    def files(self) -> tuple[str, ...]:
        return () if self.symbols == "words" else ("symbols",)

    @classmethod
    def detect(cls, head: Sequence[str]) -> bool:
        return bool(head) and all(_ARC.fullmatch(line) or _FINAL.fullmatch(line) for line in head)

    def read(self, lines: Iterable[str], path: str, names: Names) -> Iterator[SearchGraph]:
        reading = Reading(lines, path, names)
        rows = [(reading.line, fields) for line in reading if (fields := line.split())]
        if not rows:
            raise FormatError("there is no state", path=path, line=1)
        yield self._graph(reading, rows)

    def _graph(self, reading: Reading, rows: Sequence[tuple[int, list[str]]]) -> SearchGraph:
        width = self._width(reading, rows)  # fields of an arc without its cost
        words = self._words(reading, [row for row in rows if len(row[1]) > 2], width - 1)
        builder, ids = ArcBuilder(reading.path), reading.features([FEATURE])
        for at, (reading.line, fields) in enumerate(rows):
            state = reading.count(fields[0], "the number of a state")
            if not at:
                builder.start(state, reading.line)
            has_cost = len(fields) in (2, width + 1)
            cost = reading.number(fields[-1], "a cost") if has_cost else 0.0
            if cost == math.inf:
                continue
            if len(fields) <= 2:
                builder.end(state, ids if cost else (), [-cost] if cost else (), line=reading.line)
                continue
            target = reading.count(fields[1], "the number of a state")
            builder.arc(state, target, words[fields[width - 1]], ids, [-cost], reading.line)
        return builder.build(reading.line)

    def _width(self, reading: Reading, rows: Sequence[tuple[int, list[str]]]) -> int:
        """Return the number of fields of an arc without its cost."""
        arcs = [(line, fields) for line, fields in rows if len(fields) > 2]
        known = {"acceptor": 3, "transducer": 4}.get(self.kind)
        if known is None:
            three, five = (any(len(fields) == size for _, fields in arcs) for size in (3, 5))
            numbers = all(_is_number(fields[3]) for _, fields in arcs if len(fields) == 4)
            known = 4 if five or not (three or numbers) else 3
        for reading.line, fields in arcs:
            if len(fields) not in (known, known + 1):
                what = "an acceptor" if known == 3 else "a transducer"
                raise reading.wrong(
                    f"expected {known} or {known + 1} fields in an arc of {what}, got {len(fields)}"
                )
        return known

    def _words(self, reading: Reading, arcs: Sequence[tuple[int, list[str]]], column: int) -> dict[str, list[int]]:
        """Return the words of each label: none for epsilon."""
        labels = {fields[column]: line for line, fields in reversed(arcs)}
        if self.symbols is None and labels and all(label.isdigit() for label in labels):
            reading.line = min(labels.values())
            raise reading.wrong(
                "the labels are numbers: give their symbols (--graph-format openfst:symbols=FILE, or "
                "symbols=words where the numbers are the words)"
            )
        if self.symbols in (None, "words"):
            return {label: [] if label in _EPSILON else reading.words(label) for label in labels}
        symbols = read_symbols(str(self.symbols))
        found = {}
        for label, reading.line in labels.items():
            if label not in symbols:
                raise reading.wrong(f"the label {label[:40]!r} is not in {self.symbols}")
            word = symbols[label]
            found[label] = [] if int(label) == 0 or word in _EPSILON else reading.words(word)
        return found


def read_symbols(path: str) -> dict[str, str]:
    """Return words by the text of their numbers, from lines `word number`."""
    found: dict[str, str] = {}
    for line, text in enumerate(iter_lines(path), 1):
        fields = text.split()
        if not fields:
            continue
        if len(fields) != 2 or not (fields[1].isascii() and fields[1].isdigit()) or len(fields[1]) > 18:
            raise FormatError(f"expected a word and its number, got {text[:80]!r}", path=path, line=line)
        if fields[1] in found:
            raise FormatError(f"the number {fields[1]} is that of two words", path=path, line=line)
        found[fields[1]] = fields[0]
    return found


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
