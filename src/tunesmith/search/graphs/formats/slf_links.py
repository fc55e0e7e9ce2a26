"""From the links of a lattice to a search graph, whether they have values of their own or sums of paths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunesmith.errors import FormatError
from tunesmith.search.graphs.formats.arcs import ArcBuilder
from tunesmith.search.graphs.formats.lines import Reading
from tunesmith.search.graphs.graph import SearchGraph


@dataclass
class Link:
    """One link of a lattice.   line: of the file, for messages."""

    start: int
    end: int
    words: Sequence[int]
    ids: Sequence[int]
    values: Sequence[float]
    line: int


def lattice_of(
    links: Sequence[Link], start: int, end: int, first: Sequence[int], reading: Reading, *, sums: bool
) -> SearchGraph:
    """Build the graph of all paths of the links.

    first: words of the start node.   sums: values are those of paths from the start, see `_differences`.
    """
    builder = ArcBuilder(reading.path)
    builder.start(start, links[0].line, first)
    own = _differences(links, start, reading.path) if sums else [link.values for link in links]
    for link, values in zip(links, own, strict=True):
        builder.arc(link.start, link.end, link.words, link.ids, values, link.line)
    builder.end(end, line=reading.line)
    return builder.build(reading.line)


def _differences(links: Sequence[Link], start: int, path: str) -> list[Sequence[float]]:
    """Return the values of links themselves, where a link has the sums of its path, or zeros inside of a phrase.

    Moses writes every hypothesis as a separate node, so that all paths to a node have the same sums; a file in
    which they differ is refused.
    """
    at_node: dict[int, dict[int, float]] = {start: {}}
    found: list[Sequence[float]] = []
    for link in links:
        before = at_node.get(link.start)
        if before is None:
            raise FormatError(
                f"values of links are sums, but no link above leads to node {link.start}; where they are those of "
                "single links, say so (--graph-format slf:values=links)",
                path=path,
                line=link.line,
            )
        if any(link.values):
            after = dict(zip(link.ids, link.values, strict=True))
            found.append([value - before.get(id, 0.0) for id, value in after.items()])
        else:
            after = before
            found.append([0.0] * len(link.ids))
        if link.end in at_node and link.ids and at_node[link.end] != after:
            raise FormatError(
                f"values of links are sums, but two paths to node {link.end} have different ones; where they are "
                "those of single links, say so (--graph-format slf:values=links)",
                path=path,
                line=link.line,
            )
        at_node[link.end] = after
    return found
