"""Minimum Bayes risk decoding: the translation of each search graph that agrees best with all others."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from tunesmith.decoding.decoder import Decoder
from tunesmith.decoding.translation import Decoding, Translation
from tunesmith.grammar import LeaveOneOutCounts
from tunesmith.search.graphs.graph_bayes_risk import GraphBayesRisk

_LINES = 8  # complete graphs in memory at a time, per thread


class ChosenDecoding(Decoding):
    """A decoding with one translation other than the model's best.

    rank: of the translation in the core's list.
    """

    def __init__(self, found: Decoding, rank: int) -> None:
        super().__init__(found.native, found.model, found.domain)
        self._rank = rank

    def __len__(self) -> int:
        return 1

    def _item(self, at: int) -> Translation:
        return Translation(self.native, self._rank, self.model, self.domain)


def least_risk(
    decoder: Decoder,
    lines: Iterable[str],
    risk: GraphBayesRisk,
    *,
    threads: int = 1,
    leave_one_out: LeaveOneOutCounts | None = None,
) -> Iterator[Decoding]:
    """Decode lines; each result holds only the translation of least risk of its search graph."""
    found = decoder.stream(lines, graph=True, threads=threads, leave_one_out=leave_one_out)
    while some := list(islice(found, _LINES * threads)):
        graphs = [each.graph for each in some]
        weights = {domain: decoder.weights_in(domain) for domain in {each.domain for each in some}}
        scores = [
            graph.edge_scores(each.local_scores, weights[each.domain])
            for graph, each in zip(graphs, some, strict=True)
        ]
        for each, best in zip(some, risk.best_of(graphs, scores, threads=threads), strict=True):
            if best is None:
                yield each
            else:
                rank = each.native.append(best.edges, best.score)
                yield ChosenDecoding(each, rank)
