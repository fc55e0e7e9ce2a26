"""Hypergraphs of Moses (`-output-search-graph-hypergraph`), phrase-based and hierarchical."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar

from tunesmith.errors import FormatError
from tunesmith.search.graphs.formats.base import GraphFormat, Names, graph_formats, number_in
from tunesmith.search.graphs.formats.builder import GraphBuilder
from tunesmith.search.graphs.graph import SearchGraph

_TAIL = re.compile(r"\[([0-9]+)\]")
_HEADER = re.compile(r"[0-9]+ [0-9]+")
_BORDERS = ("<s>", "</s>")


@graph_formats.register("moses-hypergraph")
class MosesHypergraph(GraphFormat):
    """One graph in a file.

    Comments begin with #. The first line that is none has the numbers of nodes and of edges; then for each node,
    the goal last, a line with the number of its edges and a line for each of them: `target ||| name=value … |||
    words covered`, where `[i]` in the target is node i. The marks <s> and </s> are not words of the translation.
    """

    name: ClassVar[str] = "moses-hypergraph"

    @classmethod
    def detect(cls, head: Sequence[str]) -> bool:
        own = [line for line in head if not line.startswith("#")]
        if len(own) < len(head) and head[0].startswith("# target |||"):
            return True
        counts = bool(own) and bool(_HEADER.fullmatch(own[0].strip()))
        return counts and (len(own) == 1 or (own[1].strip().isdigit() and "|||" in own[-1]))

    def read(self, lines: Iterable[str], path: str, names: Names) -> Iterator[SearchGraph]:
        yield _Reading(lines, path, names).graph()


class _Reading:
    """One file that is being read."""

    def __init__(self, lines: Iterable[str], path: str, names: Names) -> None:
        self._lines, self._path, self._names = iter(lines), path, names
        self._line = 0
        self._ids: dict[tuple[str, ...], list[int]] = {}

    def graph(self) -> SearchGraph:
        nodes, edges = self._counts(2, "the numbers of nodes and of edges")
        builder = GraphBuilder(self._path)
        read = 0
        for node in range(nodes):
            [count] = self._counts(1, f"the number of edges of node {node}")
            read += count
            if read > edges:
                raise self._wrong(f"node {node} has edge {edges + 1} of {edges}; the counts do not agree")
            for _ in range(count):
                self._edge(builder, node, nodes, self._next(f"an edge of node {node}"))
        if read != edges:
            raise self._wrong(f"the first line says {edges} edges, the nodes have {read}")
        for text in self._lines:
            self._line += 1
            if text.strip() and not text.startswith("#"):
                raise self._wrong("there is more after the last node; the number of nodes is wrong")
        return builder.build(nodes - 1)

    def _edge(self, builder: GraphBuilder, node: int, nodes: int, text: str) -> None:
        fields = text.split("|||")
        if len(fields) != 3:
            raise self._wrong(f"expected target ||| name=value … ||| words covered, got {text!r}")
        tails: list[int] = []
        symbols: list[int] = []
        words = self._names.words
        for token in fields[0].split():
            if found := _TAIL.fullmatch(token):
                tails.append(int(found[1]))
                symbols.append(-len(tails))
                if tails[-1] >= nodes:
                    raise self._wrong(f"{token} is not a node; there are {nodes}, counted from 0")
            elif token not in _BORDERS:
                symbols.append(words[token])
        ids, values = self._features(fields[1].split())
        builder.edge(node, tails, symbols, ids, values, self._line)

    def _features(self, pairs: list[str]) -> tuple[list[int], list[float]]:
        try:
            names, numbers = zip(*[pair.rsplit("=", 1) for pair in pairs], strict=True)
            ids = self._ids.get(names)  # most edges have the same names
            if ids is not None:
                return ids, [float(number) for number in numbers]
        except ValueError:
            pass  # an edge without features, or a mistake, which is found below
        ids, values = [], []
        for pair in pairs:
            name, equals, value = pair.rpartition("=")
            if not name or not equals:
                raise self._wrong(f"expected name=value, got {pair!r}")
            try:
                ids.append(self._names.features[name])
            except ValueError as error:
                raise self._wrong(str(error)) from None
            values.append(number_in(value, self._path, self._line, name))
        if pairs:
            self._ids[names] = ids
        return ids, values

    def _counts(self, how_many: int, what: str) -> list[int]:
        text = self._next(what)
        while text.startswith("#"):
            text = self._next(what)
        fields = text.split()
        if len(fields) != how_many or not all(each.isascii() and each.isdigit() for each in fields):
            raise self._wrong(f"expected {what}, got {text!r}")
        if any(len(each) > 9 for each in fields):
            raise self._wrong(f"{what} must be below 10^9, got {text!r}")
        return [int(each) for each in fields]

    def _next(self, what: str) -> str:
        self._line += 1
        text = next(self._lines, None)
        if text is None:
            raise self._wrong(f"the file ends; expected {what}")
        return text

    def _wrong(self, message: str) -> FormatError:
        return FormatError(message, path=self._path, line=self._line)
