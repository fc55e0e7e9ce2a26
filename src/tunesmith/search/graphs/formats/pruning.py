"""Pruning search graphs; features and words keep their numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Literal

from tunesmith.checks import above, finite
from tunesmith.search.graphs.derivations import Floats
from tunesmith.search.graphs.formats.reading import NamedGraphs

PruneBy = Literal["posterior", "max_marginal"]


def pruned_to_density(
    named: NamedGraphs,
    weights: Floats,
    references: Sequence[Sequence[str]],
    density: float = 50.0,
    by: PruneBy = "max_marginal",
) -> NamedGraphs:
    """Prune graphs to at most `density` edges per word of the shortest reference.

    See `SearchGraph.prune_to_density`.
    """
    above(0, density=density)
    finite(density=density)
    lengths = [min((len(text.split()) for text in texts), default=0) for texts in references]
    graphs = [
        graph.prune_to_density(named.scores(graph, weights), max(words, 1), density, by).graph
        if graph.nodes
        else graph
        for graph, words in zip(named.graphs, lengths, strict=True)
    ]
    return dataclasses.replace(named, graphs=graphs)


def pruned_to_size(named: NamedGraphs, weights: Floats, edges: int, by: PruneBy = "max_marginal") -> NamedGraphs:
    """Prune each graph to at most `edges` edges; see `SearchGraph.prune_to_size`."""
    graphs = [graph.prune_to_size(named.scores(graph, weights), edges, by).graph for graph in named.graphs]
    return dataclasses.replace(named, graphs=graphs)
