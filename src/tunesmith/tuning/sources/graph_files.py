"""Search graphs that were made before: read once, the same in every round."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tunesmith.corpus.given_text import GivenReferences, references_of
from tunesmith.corpus.subwords import check_subwords, detect_subwords, join_references
from tunesmith.errors import ConfigError
from tunesmith.features.index import FeatureIndex
from tunesmith.io import StrPath
from tunesmith.io.digest import Digest
from tunesmith.search.graphs.formats import NamedGraphs, read_graphs
from tunesmith.tuning.growth import resized
from tunesmith.tuning.pools.base import Floats, Pool, References
from tunesmith.tuning.pools.graph_model import GraphModel
from tunesmith.tuning.pools.graphs import GraphPool
from tunesmith.tuning.pools.growing_words import GrowingWords
from tunesmith.tuning.sources.base import Start, named, numbers_of
from tunesmith.tuning.sources.density import Density
from tunesmith.tuning.sources.digests import references_digest, text_digest
from tunesmith.weights import Weights


class GraphFileSource:
    """Search graphs that another program made, pruned by the start weights.

    graphs: as `read_graphs` gives them, or their files: a folder with a numbered file for each sentence, or files
        in the order of the sentences (`format` where it is not recognised).
    references: texts of each sentence, or files of them.
    density: how graphs are pruned; None for 50 edges per word of the shortest reference.
    start: weights by number or name, or a file of them.
    subwords: the pieces that words are in, `bpe`, `sentencepiece` or `none`; None for what their marks show. They
        are joined for the metric; references may be words or pieces.
    """

    pool: type[Pool] = GraphPool
    fixed = True
    lines: Sequence[str] | None = None

    def __init__(
        self,
        graphs: NamedGraphs | StrPath | Sequence[StrPath],
        references: GivenReferences,
        density: Density | None = None,
        *,
        format: str | None = None,
        start: Start | None = None,
        subwords: str | None = None,
    ) -> None:
        check_subwords(subwords)
        self.graphs = graphs if isinstance(graphs, NamedGraphs) else read_graphs(graphs, format)
        self.sentences = len(self.graphs.graphs)
        self.references: References = references_of(references, self.sentences)
        if len(self.references) != self.sentences:
            raise ConfigError(
                f"there are graphs of {self.sentences} sentences and references for {len(self.references)}; give "
                "the references of the same sentences in the same order"
            )
        if not self.sentences:
            raise ConfigError("there is no sentence to tune on")
        self.density = Density() if density is None else density
        self.subwords: str = detect_subwords(self.graphs.words) if subwords is None else subwords
        if self.subwords != "none":
            self.references = join_references(self.references, self.subwords)[0]
        words = GrowingWords(self.graphs.words)
        self._model = GraphModel(self.graphs.features, None, words, self.references, self.subwords)
        if start is not None:
            start = self.vector(Weights.of(start))[0] if named(start) else numbers_of(start)
        self._start: Floats | None = start

    @property
    def features(self) -> FeatureIndex:
        return self.graphs.features

    def start(self) -> Floats | None:
        return self._start

    def vector(self, weights: Weights) -> tuple[Floats, list[str]]:
        return self.features.vector(weights)

    def parts(
        self, weights: Floats, sentences: Sequence[int] | None = None, *, threads: int = 1
    ) -> Iterator[GraphPool]:
        """Prune the graphs by these weights, which are the start weights of a run."""
        if sentences is not None:
            raise ConfigError("graphs from files are served whole; a recipe of mini-batches needs a decoder")
        if self.density.density is None:
            yield self.whole()
            return
        w = resized(weights, len(self.features))
        if not np.any(w):
            raise ConfigError(
                "search graphs are pruned by the start weights, which are all 0: give the weights of the decoder "
                "(--start FILE), or keep all edges (--set density=none)"
            )
        pairs = zip(self.graphs.graphs, self.references, strict=True)
        pruned = [self.density.pruned(graph, self.graphs.scores(graph, w), texts) for graph, texts in pairs]
        yield GraphPool(pruned, self._model)

    def whole(self) -> GraphPool:
        """Return the graphs as they are, not pruned."""
        return GraphPool(list(self.graphs.graphs), self._model)

    def load(self, folder: Path) -> GraphPool:
        return GraphPool.load(folder, self._model)

    def settings(self) -> dict[str, Any]:
        return {
            "kind": "graph files",
            **self.density.settings(),
            "digest": self._digest,
            "sentences": self.sentences,
            "references": references_digest(self.references),
            **({} if self.subwords == "none" else {"subwords": self.subwords}),
        }

    @cached_property
    def _digest(self) -> str:
        digest = Digest()
        digest.add(text_digest(self.features))
        digest.add(text_digest(self.graphs.words))
        for graph in self.graphs.graphs:
            digest.add(graph.core.pack())
        return digest.hex()
