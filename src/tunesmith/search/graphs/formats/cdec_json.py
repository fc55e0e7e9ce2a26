"""Forests of cdec as JSON (`--forest_output`, `--forest_output_json`)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from tunesmith.errors import FormatError
from tunesmith.search.graphs.formats.base import GraphFormat, Names, graph_formats
from tunesmith.search.graphs.formats.builder import GraphBuilder, empty_graph
from tunesmith.search.graphs.formats.lines import Reading
from tunesmith.search.graphs.graph import SearchGraph

_SLOT = re.compile(r"\[(?:[^\s\[\]]*,)?([1-9][0-9]{0,3})\]")
_HALVES = re.compile("[\ud800-\udfff]")  # of characters, as \u in JSON can give them
_KEYS = re.compile(r'"(rules|features|edges|node|is_sorted)"\s*:')


@graph_formats.register("cdec-json")
class CdecJson(GraphFormat):
    """A JSON object for each forest, as a rule one in a file.

    Its keys come in order and again and again: `rules` (number and text), names of `features`, then for each
    node, the goal last, `edges` (`tail` nodes, `feats`, `rule`) and `node` with its `in_edges`. The target side is
    the third field of a rule; `[1]` in it is the first tail. `{}` is a sentence without translations.
    """

    name: ClassVar[str] = "cdec-json"

    @classmethod
    def detect(cls, head: Sequence[str]) -> bool:
        text = "".join(head).lstrip()
        return text.startswith("{") and (bool(_KEYS.search(text)) or text.split()[0] == "{}")

    def read(self, lines: Iterable[str], path: str, names: Names) -> Iterator[SearchGraph]:
        decoder = json.JSONDecoder(object_pairs_hook=_Pairs, parse_constant=_refuse)
        text = "\n".join(lines)
        at, end = 0, len(text.rstrip())
        while at < end:
            at += len(text[at:]) - len(text[at:].lstrip())
            line = text.count("\n", 0, at) + 1
            try:
                found, at = decoder.raw_decode(text, at)
            except json.JSONDecodeError as error:
                raise FormatError(f"is not JSON: {error.msg}", path=path, line=error.lineno) from None
            except (ValueError, RecursionError) as error:
                message = str(error) if isinstance(error, ValueError) else "is nested too deeply"
                raise FormatError(message, path=path, line=line) from None
            reading = Reading((), path, names)
            reading.line = line
            yield _Forest(reading).graph(found)


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of a JSON object, in order; keys may be repeated."""


def _refuse(constant: str) -> float:
    raise ValueError(f"{constant} is not a number of a forest; values must be finite")


@dataclass
class _Edge:
    tails: list[int]
    symbols: list[int]
    ids: list[int]
    values: list[float]
    used: bool = False


@dataclass
class _Forest:
    """One forest that is being read."""

    reading: Reading
    features: list[str] = field(default_factory=list)
    rules: dict[int, str] = field(default_factory=dict)
    edges: list[_Edge] = field(default_factory=list)
    nodes: list[list[int]] = field(default_factory=list)

    def graph(self, found: Any) -> SearchGraph:
        if not isinstance(found, _Pairs):
            raise self._wrong("a forest must be a JSON object", found)
        for key, value in found:
            if key == "features":
                self.features = [self._text(name, "the name of a feature") for name in self._list(value, key)]
            elif key == "rules":
                self._add_rules(self._list(value, key))
            elif key == "edges":
                self.edges += [self._edge(each) for each in self._list(value, key)]
            elif key == "node":
                self._add_node(value)
            elif key != "is_sorted":
                raise self._wrong("unknown key of a forest", key)
        if not self.nodes:
            if self.edges:
                raise self._wrong("there are edges but no nodes; the forest may be cut off", len(self.edges))
            return empty_graph()
        builder, line = GraphBuilder(self.reading.path), self.reading.line
        for node, edges in enumerate(self.nodes):
            for at in edges:
                edge = self.edges[at]
                if bad := [tail for tail in edge.tails if tail >= len(self.nodes)]:
                    raise self._wrong(
                        f"edge {at} has a tail that is not a node; there are {len(self.nodes)}", bad[0]
                    )
                builder.edge(node, edge.tails, edge.symbols, edge.ids, edge.values, line)
        graph = builder.build(len(self.nodes) - 1)
        if not graph.nodes:
            raise self._wrong("the goal, which is the last node, has no derivation", f"node {len(self.nodes) - 1}")
        return graph

    def _add_rules(self, given: list[Any]) -> None:
        if len(given) % 2:
            raise self._wrong("rules must be numbers and texts in turn", given[-1])
        for number, text in zip(given[::2], given[1::2], strict=True):
            self.rules[self._number(number, "the number of a rule")] = self._text(text, "a rule")

    def _add_node(self, given: Any) -> None:
        found = dict(given) if isinstance(given, _Pairs) else None
        if found is None or set(found) - {"in_edges", "cat"}:
            raise self._wrong("a node must have in_edges, and perhaps cat", given)
        edges = [self._number(at, "an edge") for at in self._list(found.get("in_edges"), "in_edges")]
        for at in edges:
            if at >= len(self.edges):
                raise self._wrong(f"node {len(self.nodes)} has an edge that is not known yet", at)
            if self.edges[at].used:
                raise self._wrong("an edge leads to two nodes", at)
            self.edges[at].used = True
        self.nodes.append(edges)

    def _edge(self, given: Any) -> _Edge:
        found = dict(given) if isinstance(given, _Pairs) else None
        if found is None or set(found) - {"tail", "spans", "feats", "rule"}:
            raise self._wrong("an edge must have tail, feats and rule, and perhaps spans", given)
        tails = [self._number(tail, "a tail") for tail in self._list(found.get("tail"), "tail")]
        symbols = self._symbols(found.get("rule"), len(tails))
        feats = self._list(found.get("feats"), "feats")
        if len(feats) % 2:
            raise self._wrong("feats must be names and values in turn", feats[-1])
        names = [self._feature(each) for each in feats[::2]]
        values = [self._value(each) for each in feats[1::2]]
        return _Edge(tails, symbols, self.reading.features(names), values)

    def _symbols(self, rule: Any, tails: int) -> list[int]:
        """Return the target side of a rule, given by its number or as text."""
        if rule is None:
            raise self._wrong("edges need rules, which have the words; this forest was written without them", rule)
        if isinstance(rule, str):
            text = self._text(rule, "a rule")
        elif (number := self._number(rule, "the number of a rule")) in self.rules:
            text = self.rules[number]
        else:
            raise self._wrong("unknown rule", rule)
        fields = text.split("|||")
        if len(fields) < 3:
            raise self._wrong("expected a rule `[X] ||| source ||| target`", text)
        symbols = list[int]()
        for token in fields[2].split():
            if found := _SLOT.fullmatch(token):
                symbols.append(-int(found[1]))
            else:
                symbols.append(self.reading.names.words[token])
        if sorted(-each for each in symbols if each < 0) != list(range(1, tails + 1)):
            raise self._wrong(f"the rule of an edge with {tails} tails must name each of them once", text)
        return symbols

    def _feature(self, given: Any) -> str:
        if isinstance(given, str):
            return self._text(given, "the name of a feature")
        at = self._number(given, "the number of a feature")
        if at >= len(self.features):
            raise self._wrong(f"there are {len(self.features)} features, counted from 0", at)
        return self.features[at]

    def _value(self, given: Any) -> float:
        if isinstance(given, bool) or not isinstance(given, (int, float)):
            raise self._wrong("the value of a feature must be a number", given)
        try:
            return float(given)
        except OverflowError:
            raise self._wrong("the value of a feature is too large", given) from None

    def _list(self, given: Any, what: str) -> list[Any]:
        if given is not None and (not isinstance(given, list) or isinstance(given, _Pairs)):
            raise self._wrong(f"{what} must be an array", given)
        return given or []

    def _number(self, given: Any, what: str) -> int:
        if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given < 10**9:
            raise self._wrong(f"{what} must be a whole number from 0 and below 10^9", given)
        return given

    def _text(self, given: Any, what: str) -> str:
        if not isinstance(given, str) or (not given.isascii() and _HALVES.search(given)):
            raise self._wrong(f"{what} must be a text of whole characters", given)
        return given

    def _wrong(self, message: str, got: Any) -> FormatError:
        shown = repr(got)[:80] if got is None or isinstance(got, (str, int, float)) else "an array or object"
        return self.reading.wrong(f"{message}, got {shown}")
