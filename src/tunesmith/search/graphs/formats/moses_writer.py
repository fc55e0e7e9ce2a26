"""Search graphs as hypergraphs of Moses, which `moses-hypergraph` reads again."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tunesmith.errors import ConfigError
from tunesmith.search.graphs.formats.edges import edges_of
from tunesmith.search.graphs.formats.reading import NamedGraphs
from tunesmith.search.graphs.graph import SearchGraph


def moses_lines(named: NamedGraphs, graph: SearchGraph) -> Iterator[str]:
    """Yield the lines of one graph; values have the digits that give the same number again."""
    names = list(named.features)
    for name in names:
        if "|||" in name or any(each.isspace() for each in name):
            raise ConfigError(f"the feature {name!r} cannot be written to a hypergraph of Moses")
    yield "# target ||| features ||| source-covered"
    yield f"{graph.nodes} {graph.edges}"
    sizes, node = np.diff(graph.core.node_edges.astype(np.int64)).tolist(), -1
    for edge in edges_of(graph):
        if edge.node != node:
            node = edge.node
            yield f"# node {node}"
            yield str(sizes[node])
        target = " ".join(f"[{edge.tails[-1 - s]}]" if s < 0 else _checked(named.words[s]) for s in edge.symbols)
        values = " ".join(f"{names[id]}={value}" for id, value in edge.features)
        yield f"{target} ||| {values} ||| 0"


def _checked(word: str) -> str:
    if word in ("<s>", "</s>", "|||") or (word.startswith("[") and word[1:-1].isdigit() and word.endswith("]")):
        raise ConfigError(f"the word {word!r} cannot be written to a hypergraph of Moses: it means something else")
    return word
