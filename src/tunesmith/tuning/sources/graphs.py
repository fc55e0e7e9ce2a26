"""Search graphs of a decoder."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.features.index import FeatureIndex
from tunesmith.features.matrix import FeatureMatrix
from tunesmith.search.graphs.graph import SearchGraph
from tunesmith.tuning.pools.base import Floats, Pool, References
from tunesmith.tuning.pools.graph_model import GraphModel
from tunesmith.tuning.pools.graphs import GraphPool
from tunesmith.tuning.pools.growing_words import GrowingWords
from tunesmith.tuning.sources.base import check_decoded
from tunesmith.tuning.sources.decoders import Updating
from tunesmith.tuning.sources.density import Density
from tunesmith.tuning.sources.digests import references_digest, text_digest
from tunesmith.weights import Weights


class GraphDecoder(Protocol):
    """Interface that `GraphSource` requires of a decoder."""

    @property
    def features(self) -> FeatureIndex: ...
    @property
    def rule_features(self) -> FeatureMatrix: ...
    @property
    def vocabulary(self) -> Sequence[str]:
        """Words of the target language; higher numbers in a graph are words of the source."""

    @property
    def lines_at_once(self) -> int: ...
    @property
    def weights(self) -> Floats: ...
    @property
    def signature(self) -> object: ...

    def vector(self, weights: Weights) -> tuple[Floats, list[str]]: ...
    def set_weights(self, weights: Floats) -> None: ...
    def graphs(self, lines: Sequence[str], *, threads: int = 1) -> Iterator[tuple[SearchGraph, Sequence[str]]]:
        """Return the search graph of each line, and the source words that its higher word numbers denote."""


class GraphSource:
    """Search graphs of a decoder, decoded again for every weight vector."""

    pool: type[Pool] = GraphPool
    fixed = False

    def __init__(
        self, decoder: GraphDecoder, lines: Sequence[str], references: References, density: Density | None = None
    ) -> None:
        check_decoded(2, len(lines), references=references)
        self.decoder, self.references, self.lines = decoder, references, list(lines)
        self.density = Density() if density is None else density
        self.sentences = len(self.lines)
        self._start = np.array(decoder.weights, dtype=np.float64)
        self._model = GraphModel(
            decoder.features, decoder.rule_features, GrowingWords(decoder.vocabulary), references
        )

    @property
    def features(self) -> FeatureIndex:
        return self.decoder.features

    def start(self) -> Floats | None:
        return self._start

    def vector(self, weights: Weights) -> tuple[Floats, list[str]]:
        return self.decoder.vector(weights)

    def parts(
        self, weights: Floats, sentences: Sequence[int] | None = None, *, threads: int = 1
    ) -> Iterator[GraphPool]:
        """Decode no more lines at once than the decoder asks for."""
        self.decoder.set_weights(weights)
        yield from self._decoded(range(self.sentences) if sentences is None else sentences, threads)

    @property
    def takes_changes(self) -> bool:
        return isinstance(self.decoder, Updating)

    def parts_after(
        self, ids: NDArray[np.uint32], values: Floats, sentences: Sequence[int], *, threads: int = 1
    ) -> Iterator[GraphPool]:
        """Yield `parts` under the weights of the last decoding, some of which have changed to these values."""
        assert isinstance(self.decoder, Updating)
        self.decoder.update_weights(ids, values)
        yield from self._decoded(sentences, threads)

    def _decoded(self, chosen: Sequence[int], threads: int) -> Iterator[GraphPool]:
        size = self.decoder.lines_at_once
        for begin in range(0, len(chosen), size):
            some = chosen[begin : begin + size]
            found = list(self.decoder.graphs([self.lines[at] for at in some], threads=threads))
            columns, w = len(self.features), self.decoder.weights
            graphs = [
                self._renumbered(self._pruned(graph, w, at), source)
                for at, (graph, source) in zip(some, found, strict=True)
            ]
            yield GraphPool(graphs, self._model, columns=columns)

    def _pruned(self, graph: SearchGraph, w: Floats, sentence: int) -> SearchGraph:
        if self.density.density is None or not graph.nodes:
            return graph
        scores = _core.graph_scores(graph.core, self._model.native_rules, w)
        return self.density.pruned(graph, scores, self.references[sentence])

    def _renumbered(self, graph: SearchGraph, source: Sequence[str]) -> SearchGraph:
        """Renumber copied source words as in all other graphs."""
        symbols = graph.arrays["symbols"]
        passed = np.flatnonzero(symbols >= graph.vocabulary)
        if not len(passed):
            return graph
        renumbered = symbols.copy()
        for at in passed.tolist():
            renumbered[at] = self._model.words.number(source[int(symbols[at]) - graph.vocabulary])
        return SearchGraph.from_arrays(**{**graph.arrays, "symbols": renumbered}, vocabulary=graph.vocabulary)

    def load(self, folder: Path) -> GraphPool:
        return GraphPool.load(folder, self._model)

    def settings(self) -> dict[str, Any]:
        return {
            "kind": "graphs",
            **self.density.settings(),
            "decoder": str(self.decoder.signature),
            "sentences": self.sentences,
            "source": text_digest(self.lines),
            "references": references_digest(self.references),
        }
