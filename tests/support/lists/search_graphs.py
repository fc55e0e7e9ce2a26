"""Random search graphs for hypothesis: arities 0 to 3, shared tails, several edges a node, unreachable nodes."""

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from tunesmith.search import SearchGraph

WORDS = ["a", "b", "c", "the", "cat"]
# For machines shared with others: no example is too slow.
patient = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
# Multiples of 1/4: sums are exact, and equal scores happen.
quarters = st.integers(-8, 8).map(lambda n: n / 4)


@st.composite
def graphs(draw: st.DrawFn, max_nodes: int = 6, max_arity: int = 3, appending: bool = False) -> SearchGraph:
    """A graph of at most some hundred derivations. appending: words stand after their tail, as in lattices."""
    arrays: dict[str, list[float]] = {name: [] for name in ("tails", "symbols", "edge_application", "dense")}
    arrays |= {name: [0] for name in ("node_edges", "tail_offsets", "symbol_offsets", "sparse_offsets")}
    arrays |= {"sparse_ids": [], "sparse_values": []}
    counts: list[int] = []
    for node in range(draw(st.integers(1, max_nodes))):
        counts.append(0)
        for _ in range(draw(st.integers(1, 3))):
            tails = draw(st.lists(st.integers(0, node - 1), max_size=max_arity)) if node else []
            product = 1
            for i, tail in enumerate(tails):
                if counts[node] + product * counts[tail] > 200:
                    tails = tails[:i]
                    break
                product *= counts[tail]
            counts[node] += product
            words = draw(st.lists(st.integers(0, len(WORDS) - 1), max_size=2))
            slots = [-1 - i for i in range(len(tails))]
            arrays["tails"] += tails
            arrays["symbols"] += slots + words if appending else draw(st.permutations(slots + words))
            arrays["edge_application"].append(draw(st.integers(0, 3)))
            arrays["dense"] += draw(st.tuples(quarters, quarters))
            pairs = draw(st.lists(st.tuples(st.integers(4, 6), quarters), max_size=2))
            arrays["sparse_ids"] += [id for id, _ in pairs]
            arrays["sparse_values"] += [value for _, value in pairs]
            arrays["tail_offsets"].append(len(arrays["tails"]))
            arrays["symbol_offsets"].append(len(arrays["symbols"]))
            arrays["sparse_offsets"].append(len(arrays["sparse_ids"]))
        arrays["node_edges"].append(len(arrays["edge_application"]))
    return SearchGraph.from_arrays(
        **arrays,
        dense_ids=[3, 1],
        application_rules=[0, 1, 2, 1],
        application_begins=[0, 1, 0, 0],
        application_ends=[1, 3, 3, 2],
        vocabulary=len(WORDS),
    )


@st.composite
def scored_graphs(draw: st.DrawFn, **limits: object) -> tuple[SearchGraph, list[float]]:
    graph = draw(graphs(**limits))  # type: ignore[arg-type]
    return graph, draw(st.lists(quarters, min_size=graph.edges, max_size=graph.edges))


def doubling(levels: int) -> SearchGraph:
    """Both tails of an edge are the node before, and every node has two edges: sentences that fit no memory."""
    edges = 1 + 2 * levels
    tails = [level for level in range(levels) for _ in range(4)]
    return SearchGraph.from_arrays(
        node_edges=[0, *range(1, edges + 1, 2)],
        tail_offsets=[0, *range(0, 2 * edges, 2)],
        tails=tails,
        symbol_offsets=[0, *range(1, 2 * edges, 2)],
        symbols=[0] + [-1, -2] * (edges - 1),
        edge_application=[0] * edges,
        application_rules=[0],
        application_begins=[0],
        application_ends=[1],
        vocabulary=1,
    )
