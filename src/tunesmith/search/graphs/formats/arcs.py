"""A lattice from arcs between states of any numbers."""

from __future__ import annotations

from collections.abc import Sequence

from tunesmith.errors import FormatError
from tunesmith.search.graphs.formats.builder import GraphBuilder
from tunesmith.search.graphs.graph import SearchGraph


class ArcBuilder:
    """Builder of one lattice from its arcs.   path: of the file, for messages."""

    def __init__(self, path: str) -> None:
        self._builder, self._path, self._largest = GraphBuilder(path), path, -1
        self._finals: list[tuple[int, Sequence[int], Sequence[float], int]] = []

    def start(self, state: int, line: int, words: Sequence[int] = ()) -> None:
        """Begin paths at a state, with some words."""
        self._largest = max(self._largest, state)
        self._builder.edge(state, (), words, (), (), line)

    def arc(
        self,
        source: int,
        target: int,
        words: Sequence[int],
        ids: Sequence[int],
        values: Sequence[float],
        line: int,
    ) -> None:
        """Add an arc with its words (perhaps none) and features.   line: of the file, for messages."""
        if source == target:
            raise FormatError(
                f"an arc leads from {source} back to it; a search graph has no cycles", path=self._path, line=line
            )
        self._largest = max(self._largest, source, target)
        self._builder.edge(target, (source,), (-1, *words), ids, values, line)

    def end(self, state: int, ids: Sequence[int] = (), values: Sequence[float] = (), *, line: int) -> None:
        """End paths at a state, with features of the end."""
        self._largest = max(self._largest, state)
        self._finals.append((state, ids, values, line))

    def build(self, line: int) -> SearchGraph:
        """Return the graph of all paths from the start to an end; FormatError where arcs make no path.

        line: where the lattice ends, for messages.
        """
        if len(self._finals) == 1 and not self._finals[0][1]:
            goal = self._finals[0][0]
        else:
            goal = self._largest + 1
            for state, ids, values, at in self._finals:
                self._builder.edge(goal, (state,), (-1,), ids, values, at)
        graph = self._builder.build(goal)
        if not graph.nodes:
            missing = "no path leads from the start to an end" if self._finals else "there is no state to end at"
            raise FormatError(f"{missing}; the lattice may be cut off", path=self._path, line=line)
        return graph
