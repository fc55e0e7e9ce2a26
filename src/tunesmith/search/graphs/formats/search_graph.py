"""Search graphs of Moses as text (`-output-search-graph`, `-output-search-graph-extended`)."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tunesmith.io import read_lines
from tunesmith.search.graphs.formats.arcs import ArcBuilder
from tunesmith.search.graphs.formats.base import GraphFormat, Names, graph_formats
from tunesmith.search.graphs.formats.builder import empty_graph
from tunesmith.search.graphs.formats.lines import Reading
from tunesmith.search.graphs.graph import SearchGraph

_FIRST = re.compile(r"[0-9]+ hyp=[0-9]+ ")
_START = re.compile(r"([0-9]{1,9}) hyp=0 stack=0(?: .*)?")
_LINE = re.compile(
    r"([0-9]{1,9}) hyp=([0-9]{1,9}) stack=[0-9]+ back=([0-9]{1,9}) score=\S+ transition=(\S+)"
    r"(?: recombined=([0-9]{1,9}))? forward=(-?[0-9]{1,9}) fscore=\S+ covered=\S+"
    r'(?: scores="core=\(([^)]*)\) ?([^"]*)")? out=(.*)'
)
_SCORE = "transition"


@graph_formats.register("moses-search-graph")
@dataclass(frozen=True)
class MosesSearchGraph(GraphFormat):
    """A line for each hypothesis, those of a sentence together; the first is that of nothing translated.

    `back` is the hypothesis that it extends by the words `out`, `recombined` the one that it was merged with,
    `forward=-1` marks complete translations. Without `scores` the one feature is the weighted score of the
    extension, `transition`. The extended form has all values: sparse ones by name, dense ones in order.

    names: file with the names of dense features, one in a line; without it they are `core_1`, `core_2`, ….
    """

    names: str | None = None
    name: ClassVar[str] = "moses-search-graph"

    @property
    def files(self) -> tuple[str, ...]:
        return ("names",)

    @classmethod
    def detect(cls, head: Sequence[str]) -> bool:
        return bool(head) and bool(_FIRST.match(head[0]))

    def read(self, lines: Iterable[str], path: str, names: Names) -> Iterator[SearchGraph]:
        reading = Reading(lines, path, names)
        dense = None if self.names is None else [line.strip() for line in read_lines(self.names)]
        number = None
        for key, group in itertools.groupby(reading, lambda line: line.split(" ", 1)[0]):
            sentence = reading.count(key, "the number of the sentence")
            if number is not None and sentence != number + 1:
                raise reading.wrong(
                    f"sentence {sentence} follows sentence {number}; each sentence needs its graph, in order"
                )
            number = sentence
            yield _Sentence(reading, dense).graph(group)


class _Sentence:
    """The hypotheses of one sentence."""

    def __init__(self, reading: Reading, dense: Sequence[str] | None) -> None:
        self._reading, self._dense = reading, dense
        self._arcs = ArcBuilder(reading.path)
        self._nodes: dict[int, int] = {}
        self._ids: dict[tuple[int, tuple[str, ...]], list[int]] = {}

    def graph(self, lines: Iterable[str]) -> SearchGraph:
        reading, nodes, ended, hypotheses = self._reading, self._nodes, set[int](), 0
        for text in lines:
            if not nodes:
                if not _START.fullmatch(text):
                    raise reading.wrong("a sentence begins with its empty hypothesis, hyp=0 stack=0")
                nodes[0] = 0
                self._arcs.start(0, reading.line)
                continue
            found = _LINE.fullmatch(text)
            if found is None:
                raise reading.wrong(f"expected a line of a search graph (hyp=… back=… out=…), got {text[:80]!r}")
            _, hyp, back, transition, recombined, forward, core, sparse, out = found.groups()
            hypotheses += 1
            if int(back) not in nodes:
                raise reading.wrong(f"back={back} is not a hypothesis of the lines above")
            head = nodes.setdefault(int(recombined or hyp), len(nodes))
            ids, values = self._features(transition, core, sparse)
            words = reading.words(out if core is None else self._target(out))
            self._arcs.arc(nodes[int(back)], head, words, ids, values, reading.line)
            if forward == "-1" and head not in ended:
                ended.add(head)
                self._arcs.end(head, line=reading.line)
        if not hypotheses:  # nothing was found
            return empty_graph()
        return self._arcs.build(reading.line)

    def _target(self, out: str) -> str:
        """Return the target side of `out="source|target"`."""
        _, bar, target = out.strip('"').partition("|")
        if not bar or not (out.startswith('"') and out.endswith('"')):
            raise self._reading.wrong(f'expected out="source|target", got {out[:80]!r}')
        return target

    def _features(self, transition: str, core: str | None, sparse: str | None) -> tuple[list[int], list[float]]:
        reading = self._reading
        if core is None:
            return reading.features([_SCORE]), [reading.number(transition, _SCORE)]
        numbers = core.split(",") if core else []
        pairs = [pair.rpartition("=") for pair in (sparse or "").split()]
        key = (len(numbers), tuple(name for name, _, _ in pairs))
        ids = self._ids.get(key)
        if ids is None:
            ids = self._ids[key] = reading.features([*self._dense_names(len(numbers)), *key[1]])
        values = [reading.number(text, "a score") for text in numbers]
        return ids, values + [reading.number(text, name) for name, _, text in pairs]

    def _dense_names(self, count: int) -> Sequence[str]:
        if self._dense is None:
            return [f"core_{at}" for at in range(1, count + 1)]
        if len(self._dense) != count:
            raise self._reading.wrong(f"there are {count} scores in core=(…) and {len(self._dense)} names")
        return self._dense
