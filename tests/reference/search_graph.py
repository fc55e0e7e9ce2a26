"""Algorithms over search graphs from their definitions: every derivation one by one, and plain loops."""

from __future__ import annotations

import heapq
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tunesmith.search import SearchGraph


@dataclass(frozen=True)
class Derivation:
    """Of a node: edges in pre-order, words, and the ranks of its tails' derivations."""

    score: float
    edges: tuple[int, ...]
    words: tuple[int, ...]
    ranks: tuple[int, ...]

    @property
    def order(self) -> tuple[float, int, tuple[int, ...]]:
        """Best first; of equal scores the smaller edge, then the smaller ranks."""
        return -self.score, self.edges[0], self.ranks


@dataclass(frozen=True)
class Edge:
    """An edge as Python values."""

    number: int
    tails: tuple[int, ...]
    symbols: tuple[int, ...]
    application: int
    features: tuple[tuple[int, float], ...]


def edges_of(graph: SearchGraph) -> list[list[Edge]]:
    """The edges into each node."""
    core = graph.core
    tail_at, tails = core.tail_offsets.tolist(), core.tails.tolist()
    symbol_at, symbols = core.symbol_offsets.tolist(), core.symbols.tolist()
    dense_ids, dense = core.dense_ids.tolist(), core.dense.tolist()
    sparse_at = core.sparse_offsets.tolist()
    sparse = list(zip(core.sparse_ids.tolist(), core.sparse_values.tolist(), strict=True))
    width = len(dense_ids)

    def edge(e: int) -> Edge:
        features = list(zip(dense_ids, dense[e * width : (e + 1) * width], strict=True))
        if len(sparse_at) > 1:
            features += sparse[sparse_at[e] : sparse_at[e + 1]]
        application = int(core.edge_application[e])
        return Edge(
            e,
            tuple(tails[tail_at[e] : tail_at[e + 1]]),
            tuple(symbols[symbol_at[e] : symbol_at[e + 1]]),
            application,
            tuple(features),
        )

    borders = core.node_edges.tolist()
    return [[edge(e) for e in range(a, b)] for a, b in itertools.pairwise(borders)]


def combine(edge: Edge, score: float, tails: Sequence[Derivation], ranks: tuple[int, ...]) -> Derivation:
    """The derivation with this edge on top of these."""
    words: list[int] = []
    for symbol in edge.symbols:
        words.extend([symbol] if symbol >= 0 else tails[-1 - symbol].words)
    edges = (edge.number, *itertools.chain.from_iterable(tail.edges for tail in tails))
    for tail in tails:
        score += tail.score
    return Derivation(score, edges, tuple(words), ranks)


def derivations(graph: SearchGraph, scores: Sequence[float]) -> list[Derivation]:
    """All derivations of the goal, best first."""
    found: list[list[Derivation]] = []
    for edges in edges_of(graph):
        of_node = [
            combine(
                edge, scores[edge.number], [found[t][r] for t, r in zip(edge.tails, ranks, strict=True)], ranks
            )
            for edge in edges
            for ranks in itertools.product(*(range(len(found[tail])) for tail in edge.tails))
        ]
        found.append(sorted(of_node, key=lambda d: d.order))
    return found[-1] if found else []


def features(graph: SearchGraph, edges: Sequence[int]) -> tuple[Counter[int], dict[int, float]]:
    """Uses of applications and sums of stateful features of a derivation."""
    by_number = [edge for of_node in edges_of(graph) for edge in of_node]
    sums: dict[int, float] = defaultdict(float)
    for e in edges:
        for id, value in by_number[e].features:
            sums[id] += value
    return Counter(by_number[e].application for e in edges), dict(sums)


def k_best(graph: SearchGraph, scores: Sequence[float], k: int) -> list[float]:
    """Scores of the k best derivations: at every node the k best combinations, from a heap over all edges."""
    best: list[list[float]] = []
    for edges in edges_of(graph):
        heap: list[tuple[float, int, tuple[int, ...]]] = []
        seen = set()

        def push(edge: Edge, at: int, ranks: tuple[int, ...]) -> None:
            lists = [best[tail] for tail in edge.tails]
            if (at, ranks) in seen or any(r >= len(x) for r, x in zip(ranks, lists, strict=True)):  # noqa: B023
                return
            seen.add((at, ranks))  # noqa: B023
            score = scores[edge.number]
            for r, x in zip(ranks, lists, strict=True):
                score += x[r]
            heapq.heappush(heap, (-score, at, ranks))  # noqa: B023

        for at, edge in enumerate(edges):
            push(edge, at, (0,) * len(edge.tails))
        of_node: list[float] = []
        while heap and len(of_node) < k:
            cost, at, ranks = heapq.heappop(heap)
            of_node.append(-cost)
            for i in range(len(ranks)):
                push(edges[at], at, (*ranks[:i], ranks[i] + 1, *ranks[i + 1 :]))
        best.append(of_node)
    return best[-1]


def log_sum(values: Iterator[float]) -> float:
    """Log Σ exp(value)."""
    all_values = list(values)
    top = max(all_values, default=-math.inf)
    if top == -math.inf:
        return top
    return top + math.log(sum(math.exp(value - top) for value in all_values))


def posteriors(graph: SearchGraph, scores: Sequence[float]) -> tuple[list[float], list[float]]:
    """Log inside sums of the nodes, expected uses of the edges."""
    nodes = edges_of(graph)
    inside: list[float] = []
    for edges in nodes:
        inside.append(log_sum(scores[edge.number] + sum(inside[t] for t in edge.tails) for edge in edges))
    around: list[list[float]] = [[] for _ in nodes]
    around[-1] = [0.0]
    expected = [0.0] * graph.edges
    for node in reversed(range(len(nodes))):
        outside = log_sum(iter(around[node]))
        for edge in nodes[node]:
            product = outside + scores[edge.number] + sum(inside[t] for t in edge.tails)
            expected[edge.number] = math.exp(product - inside[-1])
            for tail in edge.tails:
                around[tail].append(product - inside[tail])
    return inside, expected
