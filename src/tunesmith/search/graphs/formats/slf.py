"""Lattices in HTK's standard lattice format: of Moses (`-output-search-graph-slf`), and of recognisers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar, Literal

from tunesmith.errors import FormatError
from tunesmith.search.graphs.formats.base import GraphFormat, Names, graph_formats
from tunesmith.search.graphs.formats.builder import empty_graph
from tunesmith.search.graphs.formats.lines import Reading
from tunesmith.search.graphs.formats.slf_links import Link, lattice_of
from tunesmith.search.graphs.graph import SearchGraph

_FIELD = re.compile(r"""([A-Za-z][A-Za-z0-9_]*)=("(?:[^"\\]|\\.)*"(?!\S)|'(?:[^'\\]|\\.)*'(?!\S)|\S*)""")
_HEADER = re.compile(r"(VERSION|V|UTTERANCE|U|NODES|N|LINKS|L|SUBLAT|base|lmname|lmscale|wdpenalty|start|end)=")
_MOSES_NAME = re.compile(r"# (\S+) \1 ([0-9]{1,6}) of ([0-9]{1,6})")
_LONG = {"VERSION": "V", "UTTERANCE": "U", "NODES": "N", "LINKS": "L", "SUBLAT": "S", "WORD": "W", "START": "S",
         "END": "E", "acoustic": "a", "ngram": "n", "language": "l"}  # fmt: skip
_VALUES = {"a": "acoustic", "n": "ngram", "l": "language", "r": "pronunciation"}
_MORE = re.compile(r"x[0-9]+")
_NO_WORDS = ("!NULL", "!SENT_START", "!SENT_END", "<s>", "</s>")
_WORDS = "words"


@graph_formats.register("slf")
@dataclass(frozen=True)
class Slf(GraphFormat):
    """One lattice in a file: header, then `I=…` for nodes (where they have words) and `J=… S=… E=… W=…` for links.

    Values of links are logarithms (of `base`, natural ones here) by the names `acoustic`, `language`, `ngram`,
    `pronunciation` and x1, x2, …; Moses gives the names of its x1, x2, … in comments, which are taken. `words`
    counts the words of lattices that are not of Moses. Scales and penalties of the header are not applied: they
    are weights.

    values: `links` where each link has its own values, `sums` where it has those of the path so far, which Moses
        writes for the first word of each phrase. `auto`: sums in lattices with Moses' comments.
    """

    values: Literal["auto", "links", "sums"] = "auto"
    name: ClassVar[str] = "slf"

    @classmethod
    def detect(cls, head: Sequence[str]) -> bool:
        own = [line for line in head if line.strip() and not line.startswith("#")]
        return bool(own) and bool(_HEADER.match(own[0]))

    def read(self, lines: Iterable[str], path: str, names: Names) -> Iterator[SearchGraph]:
        reading = _Lattice(Reading(lines, path, names))
        reading.read()
        sums = self.values == "sums" or (self.values == "auto" and reading.of_moses)
        yield reading.graph(sums=sums)


@dataclass
class _Lattice:
    """One lattice that is being read."""

    reading: Reading
    header: dict[str, str] = field(default_factory=dict)
    moses_names: dict[str, str] = field(default_factory=dict)
    words: dict[int, str] = field(default_factory=dict)
    links: list[Link] = field(default_factory=list)
    base: float = math.e

    @property
    def of_moses(self) -> bool:
        return bool(self.moses_names)

    def read(self) -> None:
        name = None
        for text in self.reading:
            if text.startswith("#"):
                found = _MOSES_NAME.fullmatch(text.strip())
                name = None if found is None else (found[1] if found[3] == "1" else f"{found[1]}_{found[2]}")
                continue
            fields = self._fields(text)
            if "J" in fields:
                self._add_link(fields)
            elif "I" in fields:
                self._add_node(fields)
            else:
                self._add_header(fields, name)
            name = None
        if not {"N", "L"} <= set(self.header):
            raise self.reading.wrong("the file ends; expected the numbers of nodes and links (N=… L=…)")
        if len(self.links) != self.count("L"):
            raise self.reading.wrong(f"the header says {self.count('L')} links, there are {len(self.links)}")

    def _fields(self, text: str) -> dict[str, str]:
        if self.of_moses:
            pairs = [(name, value) for name, _, value in (part.partition("=") for part in text.split())]
        else:
            pairs = [(found[1], _unquoted(found[2])) for found in _FIELD.finditer(text)]
        if text.strip() and (not pairs or text.strip() == "."):
            raise self.reading.wrong(f"expected fields name=value, got {text[:80]!r}")
        return {_LONG.get(name, name): value for name, value in pairs}

    def _add_header(self, fields: Mapping[str, str], name: str | None) -> None:
        if "S" in fields:
            raise self.reading.wrong("sub-lattices (SUBLAT) are not supported")
        if "base" in fields:
            self.base = self.reading.number(fields["base"], "base")
            if not (math.isfinite(self.base) and self.base >= 0 and self.base != 1):
                raise self.reading.wrong(f"base must be 0 or a base of logarithms, got {fields['base']}")
        for key in fields:
            if name is not None and key.endswith("scale") and _MORE.fullmatch(key[:-5]):
                self.moses_names[key[:-5]] = name
        for key in ("N", "L", "start", "end"):
            if key in fields:
                self.reading.count(fields[key], key)
        self.header.update(fields)

    def _add_node(self, fields: Mapping[str, str]) -> None:
        node = self._node(fields["I"])
        if "L" in fields:
            raise self.reading.wrong("nodes that stand for sub-lattices (L=…) are not supported")
        if "W" in fields:
            self.words[node] = fields["W"]

    def _add_link(self, fields: Mapping[str, str]) -> None:
        if not {"S", "E"} <= set(fields):
            raise self.reading.wrong("a link needs its start and end node (S=… E=…)")
        start, end = (self._node(fields[key]) for key in ("S", "E"))
        word = fields.get("W")
        if word is None and not self.of_moses:
            word = self.words.get(start if self.header.get("dir") == "b" else end)
        words = [] if word is None or word in _NO_WORDS else self.reading.words(word)
        named = {self._name(key): value for key, value in fields.items() if key in _VALUES or _MORE.fullmatch(key)}
        values = [self._value(text, name) for name, text in named.items()]
        if not self.of_moses:
            named[_WORDS] = ""
            values.append(len(words))
        self.links.append(Link(start, end, words, self.reading.features(list(named)), values, self.reading.line))

    def _name(self, key: str) -> str:
        return _VALUES.get(key) or self.moses_names.get(key, key)

    def _value(self, text: str, name: str) -> float:
        value = self.reading.number(text, name)
        if abs(self.base - math.e) < 1e-5:
            return value
        if self.base:
            return value * math.log(self.base)
        if value <= 0:
            raise self.reading.wrong(f"with base=0 {name} is a probability and must be above 0, got {text}")
        return math.log(value)

    def _node(self, text: str) -> int:
        node = self.reading.count(text, "the number of a node")
        if "N" not in self.header:
            raise self.reading.wrong("the number of nodes (N=…) comes before nodes and links")
        if node >= self.count("N"):
            raise self.reading.wrong(f"{node} is not a node; there are {self.count('N')}, counted from 0")
        return node

    def count(self, key: str) -> int:
        return int(self.header[key])

    def graph(self, *, sums: bool) -> SearchGraph:
        if not self.links:
            return empty_graph()
        start, end = self._ends()
        first = () if self.header.get("dir") == "b" else self._words_of(start)
        return lattice_of(self.links, start, end, first, self.reading, sums=sums)

    def _words_of(self, node: int) -> Sequence[int]:
        word = self.words.get(node)
        return () if word is None or word in _NO_WORDS else self.reading.words(word)

    def _ends(self) -> tuple[int, int]:
        """Start and end: as the header says, of Moses the first and last node, otherwise those without links."""
        if self.of_moses:
            return 0, self.count("N") - 1
        ends, starts = {link.end for link in self.links}, {link.start for link in self.links}
        return self._only("start", starts - ends, "into"), self._only("end", ends - starts, "out of")

    def _only(self, key: str, nodes: set[int], how: str) -> int:
        if key in self.header:
            return self.count(key)
        if len(nodes) != 1:
            which = ", ".join(map(str, sorted(nodes)[:5])) or "none"
            raise FormatError(
                f"a lattice has one {key}; nodes without links {how} them: {which}. Name one in the header "
                f"({key}=…)",
                path=self.reading.path,
                line=self.reading.line,
            )
        return nodes.pop()


def _unquoted(text: str) -> str:
    """Return a value without its quotes."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        return re.sub(r"\\(.)", r"\1", text[1:-1])
    return text
