"""Search graphs: k-best lists and posteriors against our Python twins; pruning and oracle alone.

The graph is made up, in the shape and size that chart search of a sentence of 25 words leaves behind: for every
span of up to 10 words (and every prefix, by glue) 22 nodes, as if of different states, each with ten edges.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

import measure
import numpy as np

from tunesmith.search import SearchGraph

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from reference import search_graph as twin

WORDS, WIDEST, STATES, EDGES, TYPES = 25, 10, 22, 10, 60
K = 100


def made_up_graph(seed: int) -> tuple[SearchGraph, np.ndarray[Any, np.dtype[np.float64]]]:
    """The graph and scores of its edges: the more source words, the lower."""
    random = np.random.default_rng(seed)
    arrays: dict[str, list[int]] = {
        name: [] for name in ("tails", "symbols", "edge_application", "application_begins", "application_ends")
    }
    arrays |= {name: [0] for name in ("node_edges", "tail_offsets", "symbol_offsets")}
    at: dict[tuple[int, int], range] = {}
    spans = [(b, b + w) for w in range(1, WIDEST + 1) for b in range(WORDS - w + 1)]
    spans += [(0, e) for e in range(WIDEST + 1, WORDS + 1)]
    for begin, end in spans:
        nodes = 1 if (begin, end) == (0, WORDS) else STATES
        first = len(arrays["node_edges"]) - 1
        for _ in range(nodes):
            for _ in range(EDGES):
                glue = end - begin > WIDEST
                arity = 2 if glue else int(random.integers(0, min(3, end - begin)))
                middle = int(random.integers(max(begin + 1, end - WIDEST), end)) if arity else end
                parts = [(begin, middle), (middle, end)][: 2 if glue else arity]
                arrays["tails"] += [int(random.choice(at[part])) for part in parts]
                side = [-1 - i for i in range(len(parts))]
                side += random.integers(0, TYPES, size=0 if glue else int(random.integers(1, 3))).tolist()
                arrays["symbols"] += side if glue else random.permutation(side).tolist()
                arrays["edge_application"].append(len(arrays["application_begins"]))
                arrays["application_begins"].append(begin)
                arrays["application_ends"].append(end)
                arrays["tail_offsets"].append(len(arrays["tails"]))
                arrays["symbol_offsets"].append(len(arrays["symbols"]))
            arrays["node_edges"].append(len(arrays["edge_application"]))
        at[begin, end] = range(first, first + nodes)
    edges = len(arrays["edge_application"])
    graph = SearchGraph.from_arrays(**arrays, application_rules=np.arange(edges), vocabulary=TYPES)
    return graph, random.normal(-2.0, 1.5, size=edges)


def milliseconds(work: Callable[[], object], repeat: int = 15) -> float:
    """Median CPU time: the machine is shared."""
    times = []
    for _ in range(repeat):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return 1e3 * median(times)


def ours() -> dict[str, Any]:
    graph, scores = made_up_graph(1)
    references = [" ".join(map(str, graph.k_best(scores, K, distinct=True)[-1].words.tolist()))]
    pruned = graph.prune_to_density(scores, WORDS)
    few = scores[pruned.edges]
    oracle = pruned.graph.oracle(few, references, str)
    best = pruned.graph.best(few)
    assert best is not None
    return {
        "nodes": graph.nodes,
        "edges": graph.edges,
        "best_ms": milliseconds(lambda: graph.best(scores)),
        "k_best_ms": milliseconds(lambda: graph.k_best(scores, K)),
        "distinct_ms": milliseconds(lambda: graph.k_best(scores, K, distinct=True)),
        "posteriors_ms": milliseconds(lambda: graph.posteriors(scores)),
        "prune_ms": milliseconds(lambda: graph.prune_to_density(scores, WORDS)),
        "pruned_edges": pruned.graph.edges,
        "oracle_ms": milliseconds(lambda: pruned.graph.oracle(few, references, str), repeat=5),
        "oracle_bleu": round(float(oracle.metric[0]), 4),
        "k_best_scores": graph.k_best(scores, K).scores.tolist(),
        "posterior_sum": float(graph.posteriors(scores).sum()),
    }


def theirs() -> dict[str, Any]:
    graph, scores = made_up_graph(1)
    numbers = [float(score) for score in scores]
    return {
        "k_best_ms": milliseconds(lambda: twin.k_best(graph, numbers, K), repeat=1),
        "posteriors_ms": milliseconds(lambda: twin.posteriors(graph, numbers), repeat=3),
        "k_best_scores": twin.k_best(graph, numbers, K),
        "posterior_sum": float(sum(twin.posteriors(graph, numbers)[1])),
    }


def main() -> None:
    mine, other = measure.in_child(partial(ours)), measure.in_child(partial(theirs))
    equal = mine.pop("k_best_scores") == other["k_best_scores"]
    sums = np.isclose(mine.pop("posterior_sum"), other["posterior_sum"], rtol=1e-9)
    measure.report(
        "search_graph",
        {
            **{name: round(value, 3) if name.endswith("_ms") else value for name, value in mine.items()},
            "python_k_best_ms": round(other["k_best_ms"]),
            "python_posteriors_ms": round(other["posteriors_ms"]),
            "k_best_ratio": round(other["k_best_ms"] / mine["k_best_ms"]),
            "posteriors_ratio": round(other["posteriors_ms"] / mine["posteriors_ms"]),
            "equal": bool(equal and sums),
        },
    )


if __name__ == "__main__":
    main()
