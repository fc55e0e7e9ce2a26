"""Search graphs as forests of cdec, which `cdec-json` reads again."""

from __future__ import annotations

import itertools
import json
import re

from tunesmith.errors import ConfigError
from tunesmith.search.graphs.formats.edges import Edge, edges_of
from tunesmith.search.graphs.formats.reading import NamedGraphs
from tunesmith.search.graphs.graph import SearchGraph

_SLOT = re.compile(r"\[[^\s\[\]]*\]|.*\|\|\|.*")
SOURCE = "<source>"
"""The source side of rules, which graphs of other toolkits do not have."""


def cdec_line(named: NamedGraphs, graph: SearchGraph) -> str:
    """Return one graph as an object of JSON; keys are repeated for each node, as cdec writes them."""
    if not graph.nodes:
        return "{}"
    rules: dict[str, int] = {}
    blocks, written = list[str](), 0
    for _, group in itertools.groupby(edges_of(graph), lambda edge: edge.node):
        edges = [_edge(edge, rules, named) for edge in group]
        numbers = list(range(written, written + len(edges)))
        written += len(edges)
        blocks.append(f'"edges":[{",".join(edges)}],"node":{{"in_edges":{_json(numbers)},"cat":"X"}}')
    pairs = [item for text, number in rules.items() for item in (number, text)]
    head = f'"rules":{_json(pairs)},"features":{_json(list(named.features))}'
    return "{" + ",".join([head, *blocks]) + "}"


def _edge(edge: Edge, rules: dict[str, int], named: NamedGraphs) -> str:
    target = " ".join(f"[{-s}]" if s < 0 else _checked(named.words[s]) for s in edge.symbols)
    rule = f"[X] ||| {' '.join([SOURCE, *['[X]'] * len(edge.tails)])} ||| {target}"
    number = rules.setdefault(rule, len(rules) + 1)
    features = ",".join(f"{id},{value}" for id, value in edge.features if value)
    return f'{{"tail":{_json(edge.tails)},"feats":[{features}],"rule":{number}}}'


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _checked(word: str) -> str:
    if _SLOT.fullmatch(word):
        raise ConfigError(f"the word {word!r} cannot be written to a forest of cdec: it means something else")
    return word
