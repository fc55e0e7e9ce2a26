"""Random lattices and forests of thousands of derivations, from a seed."""

import numpy as np

from tunesmith.search import SearchGraph

WORDS = [f"w{number}" for number in range(12)]


def large_graph(
    seed: int, kind: str, most: int = 10_000, features: int = 2, levels: int | None = None
) -> SearchGraph:
    """A graph of at most `most` derivations; kind: `lattice` (words stand after their tail) or `forest`.

    The first feature is a random number, the others are -1, 0 or 1, so that lines are parallel; some edges have no
    words.
    """
    random = np.random.default_rng(seed)
    node_edges, tail_offsets, symbol_offsets = [0], [0], [0]
    tails: list[int] = []
    symbols: list[int] = []
    counts: list[int] = []
    for node in range(levels or int(random.integers(2, 14))):
        total = 0
        for _ in range(int(random.integers(2, 6))):
            arity = 0 if node == 0 else 1 if kind == "lattice" else int(random.integers(1, 3))
            chosen = [int(random.integers(max(0, node - 3), node)) for _ in range(arity)]
            if node and not tails:
                chosen = [node - 1]
            product = int(np.prod([counts[tail] for tail in chosen], initial=1))
            if total + product > most:
                continue
            total += product
            tails += chosen
            words = random.integers(0, len(WORDS), size=random.integers(0, 3)).tolist()
            slots = [-1 - i for i in range(len(chosen))]
            symbols += (
                slots + words if kind == "lattice" else random.permutation(slots + words).astype(int).tolist()
            )
            tail_offsets.append(len(tails))
            symbol_offsets.append(len(symbols))
        if not total:
            break
        counts.append(total)
        node_edges.append(len(tail_offsets) - 1)
    edges = node_edges[-1]
    values = random.integers(-1, 2, size=(edges, features)).astype(np.float32)
    values[:, 0] = random.normal(size=edges)
    return SearchGraph.from_arrays(
        node_edges=node_edges,
        tail_offsets=tail_offsets[: edges + 1],
        tails=tails[: tail_offsets[edges]],
        symbol_offsets=symbol_offsets[: edges + 1],
        symbols=symbols[: symbol_offsets[edges]],
        edge_application=[0] * edges,
        dense_ids=list(range(features)),
        dense=values.ravel(),
        application_rules=[0],
        application_begins=[0],
        application_ends=[1],
        vocabulary=len(WORDS),
    )
