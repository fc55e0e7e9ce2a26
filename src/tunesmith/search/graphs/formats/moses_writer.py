"""Search graphs as hypergraphs of Moses, which `moses-hypergraph` reads again."""

from __future__ import annotations

from collections.abc import Iterator

from tunesmith.errors import ConfigError
from tunesmith.search.graphs.formats.reading import NamedGraphs
from tunesmith.search.graphs.graph import SearchGraph


def moses_lines(named: NamedGraphs, graph: SearchGraph) -> Iterator[str]:
    """The lines of one graph; values have the digits that give the same number again."""
    core, names = graph.core, list(named.features)
    for name in names:
        if "|||" in name or any(each.isspace() for each in name):
            raise ConfigError(f"the feature {name!r} cannot be written to a hypergraph of Moses")
    yield "# target ||| features ||| source-covered"
    yield f"{graph.nodes} {graph.edges}"
    dense_ids = core.dense_ids.tolist()
    dense = core.dense.reshape(graph.edges, len(dense_ids))
    sparse_offsets = core.sparse_offsets.tolist()
    bounds, node_edges = core.symbol_offsets.tolist(), core.node_edges.tolist()
    for node in range(graph.nodes):
        yield f"# node {node}"
        yield str(node_edges[node + 1] - node_edges[node])
        for edge in range(node_edges[node], node_edges[node + 1]):
            tails = core.tails[int(core.tail_offsets[edge]) : int(core.tail_offsets[edge + 1])].tolist()
            symbols = core.symbols[bounds[edge] : bounds[edge + 1]].tolist()
            target = " ".join(f"[{tails[-1 - s]}]" if s < 0 else _checked(named.words[s]) for s in symbols)
            values = [f"{names[id]}={value}" for id, value in zip(dense_ids, dense[edge], strict=True)]
            if len(sparse_offsets) > 1:
                part = slice(sparse_offsets[edge], sparse_offsets[edge + 1])
                pairs = zip(core.sparse_ids[part].tolist(), core.sparse_values[part], strict=True)
                values += [f"{names[id]}={value}" for id, value in pairs]
            yield f"{target} ||| {' '.join(values)} ||| 0"


def _checked(word: str) -> str:
    if word in ("<s>", "</s>", "|||") or (word.startswith("[") and word[1:-1].isdigit() and word.endswith("]")):
        raise ConfigError(f"the word {word!r} cannot be written to a hypergraph of Moses: it means something else")
    return word
