"""Pruning of search graphs before tuning."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tunesmith.checks import above, finite, given, one_of
from tunesmith.search.graphs.derivations import Floats
from tunesmith.search.graphs.graph import SearchGraph


@dataclass(frozen=True)
class Density:
    """Settings of pruning.

    density: edges per word of the shortest reference; None for all edges. prune_by: `max_marginal`, the score of
    the best derivation through an edge, or `posterior`, its probability, which depends on the length of the weight
    vector. Cherry and Foster (2012) do not state theirs.
    """

    density: float | None = 50.0
    prune_by: Literal["max_marginal", "posterior"] = "max_marginal"

    def __post_init__(self) -> None:
        above(0, **given(density=self.density))
        finite(**given(density=self.density))
        one_of(("max_marginal", "posterior"), prune_by=self.prune_by)

    def pruned(self, graph: SearchGraph, scores: Floats, references: Sequence[str]) -> SearchGraph:
        """Prune the graph of a sentence by the scores of its edges."""
        if self.density is None or not graph.nodes:
            return graph
        words = min((len(text.split()) for text in references), default=0)
        return graph.prune_to_density(scores, max(words, 1), self.density, self.prune_by).graph

    def settings(self) -> dict[str, Any]:
        """Return fields for the settings of a source."""
        return {"density": self.density, **({} if self.density is None else {"prune_by": self.prune_by})}
