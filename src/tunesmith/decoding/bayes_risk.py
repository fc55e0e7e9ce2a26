"""Decoding by minimum Bayes risk: the translation of each search graph that agrees best with all others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from tunesmith import _core
from tunesmith.decoding.decoder import Decoder
from tunesmith.decoding.translation import Decoding, Model, Translation
from tunesmith.errors import ConfigError
from tunesmith.grammar import OwnRules
from tunesmith.search.graphs.graph_bayes_risk import GraphBayesRisk

_LINES = 8  # whole graphs in memory at once, for each thread


class ChosenDecoding(Decoding):
    """A decoding with one translation, which is not the model's best.   rank: where it is in the core's list."""

    def __init__(self, native: _core.Decoded, model: Model, rank: int) -> None:
        super().__init__(native, model)
        self._rank = rank

    def __len__(self) -> int:
        return 1

    def _item(self, at: int) -> Translation:
        return Translation(self.native, self._rank, self.model)


def least_risk(
    decoder: Decoder,
    lines: Iterable[str],
    risk: GraphBayesRisk,
    *,
    threads: int = 1,
    own: OwnRules | None = None,
) -> Iterator[Decoding]:
    """Decode lines; each has the translation of least risk of its search graph alone."""
    if decoder.domains is not None:
        raise ConfigError("minimum Bayes risk does not take models with domains yet")
    found = decoder.stream(lines, graph=True, threads=threads, own=own)
    while some := list(islice(found, _LINES * threads)):
        graphs, weights = [each.graph for each in some], decoder.weights
        scores = [graph.edge_scores(each.local_scores, weights) for graph, each in zip(graphs, some, strict=True)]
        for each, best in zip(some, risk.best_of(graphs, scores, threads=threads), strict=True):
            if best is None:
                yield each
            else:
                rank = each.native.append(best.edges, best.score)
                yield ChosenDecoding(each.native, each.model, rank)
