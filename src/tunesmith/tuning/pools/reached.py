"""Graphs without kept derivations that the search would not choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from tunesmith import _core
from tunesmith.errors import core_errors
from tunesmith.search.graphs.graph import SearchGraph
from tunesmith.search.graphs.graph_file import GraphSet
from tunesmith.tuning.objectives import Floats
from tunesmith.tuning.pools.base import Integers
from tunesmith.tuning.pools.graph_model import GraphModel


class ReachedGraphs(Sequence[SearchGraph]):
    """Graphs of a file, each without kept derivations that the search under these weights would not choose.

    Under the weights of a search, a kept derivation may score higher than all results of the search: it was
    pruned, or has a rule that is not an option under these weights. It would wrongly count as the translation
    under these weights.
    """

    def __init__(
        self, graphs: GraphSet | Sequence[SearchGraph], kept: Integers, model: GraphModel, w: Floats
    ) -> None:
        self._graphs, self._kept, self._model, self._weights = graphs, kept, model, w

    def __len__(self) -> int:
        return len(self._graphs)

    @overload
    def __getitem__(self, at: int) -> SearchGraph: ...
    @overload
    def __getitem__(self, at: slice) -> list[SearchGraph]: ...
    def __getitem__(self, at: int | slice) -> SearchGraph | list[SearchGraph]:
        if isinstance(at, slice):
            return [self[each] for each in range(len(self))[at]]
        graph, kept = self._graphs[at], int(self._kept[at])
        if not kept:
            return graph
        with core_errors(None):
            scores = _core.graph_scores(graph.core, self._model.native_rules, self._weights)
            return SearchGraph(_core.without_unreached(graph.core, kept, scores)[0])

    @property
    def bytes(self) -> int:
        """Bytes in memory, at most; 0 for graphs that are already in memory."""
        return self._graphs.bytes if isinstance(self._graphs, GraphSet) else 0
