"""Search graphs of a decoder, for tuners."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tunesmith.decoding.candidates import ListDecoder
from tunesmith.features import FeatureMatrix
from tunesmith.search import SearchGraph


class GraphDecoder(ListDecoder):
    """A decoder that returns search graphs in addition to candidate sets."""

    @property
    def rule_features(self) -> FeatureMatrix:
        return self.decoder.features

    @property
    def vocabulary(self) -> Sequence[str]:
        return list(self.decoder.table.target_vocabulary)

    def graphs(self, lines: Sequence[str], *, threads: int = 1) -> Iterator[tuple[SearchGraph, Sequence[str]]]:
        """Return the search graph of each line, and the source words that its higher word numbers denote."""
        for found in self.decoder.stream(lines, graph=True, threads=threads):
            yield found.graph, found.source
