"""Lattices with features by name in the Python lattice format, which `plf` reads again."""

from __future__ import annotations

from tunesmith.errors import ConfigError
from tunesmith.search.graphs.formats.edges import edges_of
from tunesmith.search.graphs.formats.reading import NamedGraphs
from tunesmith.search.graphs.graph import SearchGraph
from tunesmith.search.graphs.lattice import EPSILON

_EMPTY = "*EPS*"


def plf_line(named: NamedGraphs, graph: SearchGraph) -> str:
    """Format one lattice as a line, with cdec's names of features; those of a phrase are at its first word."""
    if not graph.nodes:
        return "()"
    if not graph.is_lattice:
        raise ConfigError(
            "a forest has no lattice with features; give -W FILE, for the scores of its best strings"
        )
    names, state = list(named.features), graph.nodes
    arcs: list[tuple[int, int, str]] = []  # from, to, word and features; new states are numbered after the nodes
    edges = list(edges_of(graph))
    start = -1
    first = edges[0]
    if graph.nodes > 1 and edges[1].node and not (first.symbols or any(value for _, value in first.features)):
        start = edges.pop(0).node  # it begins as readers begin it
    for edge in edges:
        words = [_quoted(named.words[s]) for s in edge.symbols if s >= 0] or [f"'{_EMPTY}'"]
        values = ",".join(f"{_quoted(names[id], 'feature')}:{value}" for id, value in edge.features if value)
        places = [edge.tails[0] if edge.tails else start, *range(state, state + len(words) - 1), edge.node]
        state += len(words) - 1
        for at, word in enumerate(words):
            arcs.append((places[at], places[at + 1], f"{word},{{{values if not at else ''}}}"))
    order = _topological(arcs, start, graph.nodes - 1)
    leaving: list[list[str]] = [[] for _ in range(len(order) - 1)]
    for source, target, text in arcs:
        leaving[order[source]].append(f"({text},{order[target] - order[source]}),")
    return "(" + "".join(f"({''.join(each)})," for each in leaving) + ")"


def _topological(arcs: list[tuple[int, int, str]], start: int, goal: int) -> dict[int, int]:
    """Return numbers of states, the start first and the goal last.

    Nodes have the order of the graph already; a state inside of a phrase comes right before the node at its end.
    """
    inside: dict[int, list[int]] = {}
    ends: dict[int, int] = {}
    for source, target, _ in reversed(arcs):
        ends[source] = target if target <= goal else ends[target]
        if source > goal:
            inside.setdefault(ends[source], []).append(source)
    order = {start: 0}
    for node in range(start + 1, goal + 1):
        for state in (*reversed(inside.get(node, [])), node):
            order[state] = len(order)
    return order


def _quoted(text: str, what: str = "word") -> str:
    if not text or any(each.isspace() for each in text) or text in (EPSILON, _EMPTY):
        raise ConfigError(
            f"the {what} {text!r} cannot be written to a lattice: it would be read as something else"
        )
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
