"""Word lattices in the Python lattice format (PLF), read without Python's evaluation."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

from tunesmith.search.graphs.formats.arcs import ArcBuilder
from tunesmith.search.graphs.formats.base import GraphFormat, Names, graph_formats
from tunesmith.search.graphs.formats.builder import empty_graph
from tunesmith.search.graphs.formats.lines import Reading
from tunesmith.search.graphs.graph import SearchGraph

_TOKEN = re.compile(r"""\s*(?:([(){},:])|('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|([^\s(){},:'"]+))""")
_ESCAPED = re.compile(r"\\(.)")
_EPSILON = "*EPS*"
FEATURE = "score"


class _Token(NamedTuple):
    kind: str  # one of (){},: or "text" or "number", or "end"
    text: str


@graph_formats.register("plf")
@dataclass(frozen=True)
class Plf(GraphFormat):
    """Lattices as nested tuples, as a rule one in a line: for each state its arcs `('word', value, distance)`.

    The distance is that to the state where the arc ends. One value is the feature `score`, several are `score_1`,
    `score_2`, …; cdec's `{'name': value}` has names. `()` is a sentence without translations, `*EPS*` is not
    a word.

    probabilities: values without names are probabilities, of which natural logarithms are taken; otherwise they
        are features as they are.
    """

    probabilities: bool = False
    name: ClassVar[str] = "plf"

    @classmethod
    def detect(cls, head: Sequence[str]) -> bool:
        return "".join("".join(head[:4]).split())[:3] in ("(((", "()", "((", "(),", "()(")

    def read(self, lines: Iterable[str], path: str, names: Names) -> Iterator[SearchGraph]:
        reading = Reading(lines, path, names)
        tokens = _Tokens(reading)
        while tokens.peek().kind != "end":
            yield self._lattice(tokens, reading)

    def _lattice(self, tokens: _Tokens, reading: Reading) -> SearchGraph:
        builder, arcs, furthest, state, seen = ArcBuilder(reading.path), 0, (0, 0), 0, set[int]()
        tokens.take("(")
        while not tokens.ended(")"):
            if not state:
                builder.start(0, reading.line)
            tokens.take("(")
            while not tokens.ended(")"):
                distance = self._arc(tokens, reading, builder, state, seen)
                arcs, furthest = arcs + 1, max(furthest, (state + distance, reading.line))
                tokens.comma(")")
            tokens.comma(")")
            state += 1
        if not state:
            return empty_graph()
        if furthest[0] > state:
            reading.line = furthest[1]
            raise reading.wrong(f"an arc leads to state {furthest[0]}; the lattice has the states 0 to {state}")
        builder.end(state, line=reading.line)
        return builder.build(reading.line)

    def _arc(self, tokens: _Tokens, reading: Reading, builder: ArcBuilder, state: int, counts: set[int]) -> int:
        """Read `('word', value, …, distance)` and return the distance."""
        tokens.take("(")
        text = tokens.take("text").text
        if not text.strip():
            raise reading.wrong(f"an arc has the word {text!r}; one without a word has {_EPSILON!r}")
        tokens.take(",")
        names, values = list[str](), list[float]()
        if tokens.peek().kind == "{":
            names, values = self._named(tokens, reading)
            tokens.take(",")
        numbers = [tokens.take("number").text]
        while tokens.peek().kind == ",":
            tokens.take(",")
            if tokens.peek().kind == ")":
                break
            numbers.append(tokens.take("number").text)
        tokens.take(")")
        distance = reading.count(numbers.pop(), "the distance to the next state")
        if not distance:
            raise reading.wrong("the distance to the next state must be at least 1, got 0")
        counts.add(len(numbers))
        if len(counts) > 1:
            few, many = min(counts), max(counts)
            raise reading.wrong(f"an arc has {few} values and another {many}; all arcs have as many")
        names += [FEATURE] if len(numbers) == 1 else [f"{FEATURE}_{at + 1}" for at in range(len(numbers))]
        values += [self._value(number, reading) for number in numbers]
        words = [] if text == _EPSILON else reading.words(text)
        builder.arc(state, state + distance, words, reading.features(names), values, reading.line)
        return distance

    def _named(self, tokens: _Tokens, reading: Reading) -> tuple[list[str], list[float]]:
        names, values = list[str](), list[float]()
        tokens.take("{")
        while not tokens.ended("}"):
            names.append(tokens.take("text").text)
            tokens.take(":")
            values.append(reading.number(tokens.take("number").text, names[-1]))
            tokens.comma("}")
        return names, values

    def _value(self, text: str, reading: Reading) -> float:
        value = reading.number(text, "a value")
        if not self.probabilities:
            return value
        if not 0 < value <= 1:
            raise reading.wrong(f"a probability must be above 0 and at most 1, got {text}")
        return math.log(value)


class _Tokens:
    """The tokens of a text; those of one line at a time."""

    def __init__(self, reading: Reading) -> None:
        self._reading, self._found, self._at = reading, list[_Token](), 0
        self._lines = iter(reading)

    def peek(self) -> _Token:
        while self._at == len(self._found):
            text = next(self._lines, None)
            if text is None:
                return _Token("end", "")
            self._found, self._at = self._tokens(text), 0
        return self._found[self._at]

    def take(self, kind: str) -> _Token:
        """Take the next token, which must be of this kind."""
        token = self.peek()
        if token.kind != kind:
            wanted = {"text": "a word in quotes", "number": "a number"}.get(kind, repr(kind))
            got = "the end of the file" if token.kind == "end" else repr(token.text[:40])
            raise self._reading.wrong(f"expected {wanted}, got {got}")
        self._at += 1
        return token

    def ended(self, bracket: str) -> bool:
        """Take a closing bracket if it is next."""
        if self.peek().kind != bracket:
            return False
        self._at += 1
        return True

    def comma(self, bracket: str) -> None:
        """Take a comma, which may be missing before a closing bracket."""
        if self.peek().kind != bracket:
            self.take(",")

    def _tokens(self, text: str) -> list[_Token]:
        found, at, end = list[_Token](), 0, len(text.rstrip())
        while at < end:
            match = _TOKEN.match(text, at)
            if match is None:
                raise self._reading.wrong(f"unexpected {text[at : at + 20].strip()!r}; a word needs its quotes")
            mark, quoted, plain = match.groups()
            if mark:
                found.append(_Token(mark, mark))
            elif quoted:
                found.append(_Token("text", _ESCAPED.sub(r"\1", quoted[1:-1])))
            else:
                found.append(_Token("number", plain))
            at = match.end()
        return found
