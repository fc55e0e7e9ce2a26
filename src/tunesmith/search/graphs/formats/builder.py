"""A search graph from edges in any order, whose nodes have any numbers."""

from __future__ import annotations

import heapq
from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import FormatError, core_errors
from tunesmith.search.graphs.graph import SearchGraph

NO_SOURCE_WORDS = 2**31
"""The `vocabulary` of a graph that holds the text of all its words."""


def empty_graph() -> SearchGraph:
    """Return the graph of a sentence without translations."""
    return SearchGraph.from_arrays(vocabulary=NO_SOURCE_WORDS)


class GraphBuilder:
    """Builder of one graph from its edges.   path: of the file, for messages."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._heads, self._lines = array("q"), array("q")
        self._tails, self._tail_ends = array("q"), array("q", [0])
        self._symbols, self._symbol_ends = array("i"), array("q", [0])
        self._ids, self._id_ends, self._values = array("q"), array("q", [0]), array("d")

    def edge(
        self,
        head: int,
        tails: Iterable[int],
        symbols: Iterable[int],
        ids: Iterable[int],
        values: Iterable[float],
        line: int,
    ) -> None:
        """Add an edge.

        symbols: words, and slot -1 - i where tail i goes.   ids, values: its features; repeated ones are added.
        line: of the file, for messages.
        """
        self._heads.append(head)
        self._lines.append(line)
        self._tails.extend(tails)
        self._tail_ends.append(len(self._tails))
        self._symbols.extend(symbols)
        self._symbol_ends.append(len(self._symbols))
        self._ids.extend(ids)
        self._id_ends.append(len(self._ids))
        self._values.extend(values)

    def build(self, goal: int) -> SearchGraph:
        """Return the graph of all derivations of the goal; one without nodes where there is none.

        Edges that are part of no derivation of the goal are left out. FormatError for a cycle, and for a value
        that does not fit into 32 bits.
        """
        order = self._edge_order(goal)
        if not len(order):
            return empty_graph()
        heads = np.asarray(self._heads)[order]
        nodes, starts = _first_of_each(heads)
        rising = np.argsort(nodes)
        tails, tail_offsets = _rows(self._tails, self._tail_ends, order)
        symbols, symbol_offsets = _rows(self._symbols, self._symbol_ends, order)
        ids, offsets = _rows(self._ids, self._id_ends, order)
        values, _ = _rows(self._values, self._id_ends, order)
        self._check_values(values, offsets, order)
        with core_errors(self.path):
            return SearchGraph.from_arrays(
                node_edges=np.append(starts, len(heads)),
                tail_offsets=tail_offsets,
                tails=rising[np.searchsorted(nodes, tails, sorter=rising)],
                symbol_offsets=symbol_offsets,
                symbols=symbols,
                edge_application=np.zeros(len(heads), np.int64),
                application_rules=[0],
                application_begins=[0],
                application_ends=[0],
                vocabulary=NO_SOURCE_WORDS,
                **_features(ids, values, offsets),
            )

    def _check_values(
        self, values: NDArray[np.float64], offsets: NDArray[np.int64], order: NDArray[np.int64]
    ) -> None:
        with np.errstate(over="ignore"):
            bad = np.flatnonzero(~np.isfinite(values.astype(np.float32)))
        if len(bad):
            edge = int(np.searchsorted(offsets, bad[0], side="right")) - 1
            raise FormatError(
                f"values of features must be finite and fit into 32 bits, got {values[bad[0]]}",
                path=self.path,
                line=self._lines[int(order[edge])],
            )

    def _edge_order(self, goal: int) -> NDArray[np.int64]:
        """Return the edges of derivations of the goal, those of a node together, tails before heads."""
        heads, tails = np.asarray(self._heads), np.asarray(self._tails)
        if not len(heads):
            return np.empty(0, np.int64)
        of_tail = np.repeat(heads, np.diff(np.asarray(self._tail_ends)))
        nodes = np.unique(heads)
        others = np.union1d(tails, [goal])
        ordered = bool(np.all(tails < of_tail)) and nodes[-1] == goal
        if ordered and np.array_equal(nodes, others):  # every other node is a tail of a later one
            return np.argsort(heads, kind="stable")
        return np.array(self._searched_order(goal), dtype=np.int64)

    def _searched_order(self, goal: int) -> list[int]:
        tails = [set(self._tails[self._tail_ends[at] : self._tail_ends[at + 1]]) for at in range(len(self._heads))]
        useful = self._useful(tails, goal)
        into: dict[int, list[int]] = {}
        above: dict[int, set[int]] = {}
        for edge in useful:
            into.setdefault(self._heads[edge], []).append(edge)
            for tail in tails[edge]:
                above.setdefault(tail, set()).add(self._heads[edge])
        waiting = {node: len(set().union(*(tails[edge] for edge in edges))) for node, edges in into.items()}
        ready = [node for node, count in waiting.items() if not count]
        heapq.heapify(ready)
        order: list[int] = []
        while ready:
            node = heapq.heappop(ready)
            order += into.pop(node)
            for head in above.get(node, ()):
                waiting[head] -= 1
                if not waiting[head]:
                    heapq.heappush(ready, head)
        if into:
            node, edges = min(into.items())
            raise FormatError(
                f"node {node} is part of a cycle; a search graph has none", path=self.path,
                line=self._lines[edges[0]],
            )  # fmt: skip
        return order

    def _useful(self, tails: Sequence[set[int]], goal: int) -> list[int]:
        """Return edges of whole derivations of the goal, rising."""
        missing = [len(each) for each in tails]
        users: dict[int, list[int]] = {}
        for edge, each in enumerate(tails):
            for tail in each:
                users.setdefault(tail, []).append(edge)
        derived: set[int] = set()
        stack = [edge for edge, count in enumerate(missing) if not count]
        whole = set(stack)
        while stack:
            head = self._heads[stack.pop()]
            if head in derived:
                continue
            derived.add(head)
            for edge in users.get(head, ()):
                missing[edge] -= 1
                if not missing[edge]:
                    whole.add(edge)
                    stack.append(edge)
        into: dict[int, list[int]] = {}
        for edge in whole:
            into.setdefault(self._heads[edge], []).append(edge)
        reached, nodes, found = {goal}, [goal], list[int]()
        while nodes:
            for edge in into.get(nodes.pop(), ()):
                found.append(edge)
                nodes += tails[edge] - reached
                reached |= tails[edge]
        return sorted(found)


def _first_of_each(heads: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the heads in their order, each once, and the first edge of each."""
    starts = np.append(0, np.flatnonzero(np.diff(heads)) + 1)
    return heads[starts], starts


def _rows(
    values: array[int] | array[float], ends: array[int], order: NDArray[np.int64]
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the values of edges in an order, and where those of each begin."""
    given, bounds = np.asarray(values), np.asarray(ends)
    if len(order) == len(bounds) - 1 and np.array_equal(order, np.arange(len(order))):
        return given, bounds
    lengths = np.diff(bounds)[order]
    offsets = np.append(0, np.cumsum(lengths))
    places = np.repeat(bounds[:-1][order] - offsets[:-1], lengths) + np.arange(offsets[-1])
    return given[places], offsets


def _features(
    ids: NDArray[np.int64], values: NDArray[np.float64], offsets: NDArray[np.int64]
) -> dict[str, NDArray[Any]]:
    """Return features that at least half of the edges have as a block, the others as sparse pairs."""
    edges = len(offsets) - 1
    row = np.repeat(np.arange(edges), np.diff(offsets))
    dense_ids = np.flatnonzero(np.bincount(ids, minlength=1) * 2 >= edges) if len(ids) else np.empty(0, np.int64)
    column = np.full(int(ids.max(initial=0)) + 1, -1)
    column[dense_ids] = np.arange(len(dense_ids))
    dense, is_dense = np.zeros((edges, len(dense_ids))), column[ids] >= 0
    np.add.at(dense, (row[is_dense], column[ids[is_dense]]), values[is_dense])
    found: dict[str, NDArray[Any]] = {"dense_ids": dense_ids, "dense": dense.reshape(-1)}
    if not is_dense.all():
        counts = np.bincount(row[~is_dense], minlength=edges)
        found["sparse_offsets"] = np.append(0, np.cumsum(counts))
        found["sparse_ids"], found["sparse_values"] = ids[~is_dense], values[~is_dense]
    return found
