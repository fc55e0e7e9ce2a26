"""Pools of search graphs: all translations that a search found, not only the best ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from tunesmith import _core
from tunesmith.errors import ConfigError, FormatError, core_errors
from tunesmith.metrics import Metric, Prepared
from tunesmith.search.graphs.graph import SearchGraph
from tunesmith.search.graphs.graph_file import GraphSet
from tunesmith.tuning.growth import resized
from tunesmith.tuning.objectives import Floats
from tunesmith.tuning.pools.base import Best, Integers, PseudoCorpus, References
from tunesmith.tuning.pools.graph_expectation import SummedGraphs
from tunesmith.tuning.pools.graph_files import open_pool, write_pools
from tunesmith.tuning.pools.graph_merging import with_kept
from tunesmith.tuning.pools.graph_model import GraphModel, Measuring
from tunesmith.tuning.pools.graph_updates import GraphUpdates
from tunesmith.tuning.pools.reached import ReachedGraphs
from tunesmith.tuning.pools.visited import Visited

IN_MEMORY = 2**30
"""Graphs of a file up to this size are kept in memory; larger ones are read block by block, for every use."""
COLUMNS, COLUMN_BYTES = 100, 2**29
"""Features whose values on all edges are kept while lines are followed, unless they take more memory than this."""
BLOCK = 64
"""Graphs of a large file that are in memory at once."""
LAZY = (GraphSet, ReachedGraphs)


class GraphPool(SummedGraphs):
    """The search graph of each sentence, with derivations kept from earlier rounds as edges of its goal.

    kept: how many of the goal's last edges these are, for each sentence.
    """

    def __init__(
        self,
        graphs: Sequence[SearchGraph],
        model: GraphModel,
        *,
        columns: int | None = None,
        kept: Integers | None = None,
        measuring: Measuring | None = None,
    ) -> None:
        self.graphs, self.model, self._measuring = graphs, model, measuring
        self.features, self.columns = model.features, len(model.features) if columns is None else columns
        self.sentences = len(graphs)
        self.kept = np.zeros(self.sentences, np.int64) if kept is None else kept
        if not isinstance(graphs, LAZY):
            self._check(graphs)

    def _check(self, graphs: Iterable[SearchGraph]) -> None:
        for graph in filter(lambda each: each.nodes, graphs):
            with core_errors(None):
                _core.check_graph_features(graph.core, self.model.native_rules, self.columns)

    def __repr__(self) -> str:
        return f"GraphPool of {len(self)} edges for {self.sentences} sentences, {self.columns} features"

    @cached_property
    def _loaded(self) -> list[SearchGraph] | None:
        """The graphs in memory; None where they are read block by block."""
        if not isinstance(self.graphs, LAZY):
            return list(self.graphs)
        if self.graphs.bytes > IN_MEMORY:
            return None
        found = list(self.graphs)
        self._check(found)
        return found

    @cached_property
    def _known(self) -> _core.GraphTranslations:
        if self._loaded is None:
            return _core.GraphTranslations(self.sentences)
        return _core.GraphTranslations(self.sentences, min(COLUMNS, COLUMN_BYTES // (4 * max(self.edges, 1))))

    def blocks(self) -> Iterator[tuple[int, list[SearchGraph]]]:
        """Yield graphs of consecutive sentences, and the first of these; use them before the next ones."""
        if self._loaded is not None:
            yield 0, self._loaded
            return
        for begin in range(0, self.sentences, BLOCK):
            some = self.some(range(begin, min(begin + BLOCK, self.sentences)))
            yield begin, some
            some.clear()  # before the next block is read

    def some(self, sentences: Sequence[int]) -> list[SearchGraph]:
        """Return the graphs of these sentences, checked."""
        if self._loaded is not None:
            return [self._loaded[at] for at in sentences]
        found = [self.graphs[at] for at in sentences]
        self._check(found)
        return found

    @property
    def block(self) -> int | None:
        """How many graphs may be in memory at once; None if all are."""
        return None if self._loaded is not None else BLOCK

    @cached_property
    def _sizes(self) -> tuple[int, int]:
        """Edges of all graphs, and of the largest."""
        edges = [graph.edges for _, some in self.blocks() for graph in some]
        return sum(edges), max(edges, default=0)

    @property
    def edges(self) -> int:
        return self._sizes[0]

    @property
    def largest(self) -> int:
        return self._sizes[1]

    def __len__(self) -> int:
        """Count edges: a graph holds more translations than can be counted."""
        return self.edges

    # ---- what losses ask for

    def best(self, weights: Floats, *, threads: int = 1) -> Best:
        """Return the derivation of highest score of each graph."""
        w = resized(weights, self.columns)
        rules, numbers = self.model.native_rules, np.full(self.sentences, -1, np.int64)
        with core_errors(None):
            for first, some in self.blocks():
                end = first + len(some)
                numbers[first:end] = self._known.best([graph.core for graph in some], first, rules, w, threads)
        self._measure(threads)
        sentences = np.flatnonzero(numbers >= 0)
        offsets, ids = self._known.words(sentences, chosen := numbers[sentences])
        words = self.model.word_lists(ids, offsets)
        statistics, lengths = self._known.statistics(sentences, chosen), np.diff(words.offsets)
        return Best(sentences, statistics, lengths, lambda: [words.text(at) for at in range(len(words))])

    def envelope(self, weights: Floats, direction: Floats, *, threads: int = 1) -> tuple[Floats, Floats]:
        everywhere = np.array([-np.inf]), np.array([np.inf])
        self.follow(weights, np.array([resized(direction, self.columns)]), *everywhere, threads=threads)
        return self._known.envelope(0)

    def follow(self, weights: Floats, directions: Floats, low: Floats, high: Floats, *, threads: int) -> None:
        """Find what is best along lines from one point, and measure it."""
        w, rules = resized(weights, self.columns), self.model.native_rules
        with core_errors(None):
            for first, some in self.blocks():
                self._known.follow([graph.core for graph in some], first, rules, w, directions, low, high, threads)
        self._measure(threads)

    @property
    def followed(self) -> _core.GraphTranslations:
        """What `follow` found."""
        return self._known

    def slopes(self, direction: Floats) -> Floats:
        """Return the change of every edge's score along a direction."""
        rules = self.model.native_rules
        with core_errors(None):
            found = [
                _core.graph_scores(graph.core, rules, direction) for _, some in self.blocks() for graph in some
            ]
        return np.concatenate([*found, np.empty(0)])

    def edges_with_features(self) -> Integers:
        """Count for every feature the edges where it is not 0."""
        counts = np.zeros(self.columns, np.int64)
        for graph in (graph for _, some in self.blocks() for graph in some):
            counts += _core.edges_with_features(graph.core, self.model.native_rules, self.columns)
        return counts

    def updates(
        self, metric: Metric, hope: str, fear: str, corpus: PseudoCorpus, gain_scale: float
    ) -> GraphUpdates:
        """Return what makes passes of updates; ConfigError for a metric that does not count n-grams of words."""
        return GraphUpdates.of(self, metric, hope, fear, corpus, gain_scale)

    def references(self) -> References:
        """Return the references of each sentence."""
        return self.model.references_of(0 if self._measuring is None else self._measuring.first, self.sentences)

    def _measure(self, threads: int) -> None:
        sentences, offsets, ids = self._known.without_statistics()
        if not len(sentences):
            return
        if self._measuring is None:
            raise ConfigError("these graphs have no references: use measured(metric.prepare(references), …)")
        words = self.model.word_lists(ids, offsets)
        given = self._measuring
        rows = given.metric.statistics_of_words(words, given.first + sentences, threads=threads)
        self._known.add_statistics(np.ascontiguousarray(rows, dtype=np.float64))

    # ---- what the loop asks for

    def measured(self, metric: Prepared | None, *, source: str, first: int, threads: int = 1) -> GraphPool:
        """Return the pool with a metric, which measures translations when they are met."""
        if metric is None:
            raise ConfigError(f"the graphs of {source} cannot be measured: there are no references")
        return self._with(measuring=Measuring(metric, first))

    def spread(self, places: Sequence[int], sentences: int) -> GraphPool:
        nothing = SearchGraph.from_arrays()
        graphs, kept = [nothing] * sentences, np.zeros(sentences, np.int64)
        for at, place in enumerate(places):
            graphs[place], kept[place] = self.graphs[at], self.kept[at]
        return self._with(graphs=graphs, kept=kept)

    def only(self, sentences: Sequence[int]) -> GraphPool:
        chosen = self._with(graphs=self.some(sentences), kept=self.kept[np.asarray(sentences, np.int64)])
        return chosen.spread(sentences, self.sentences)

    def _with(
        self,
        graphs: Sequence[SearchGraph] | None = None,
        *,
        kept: Integers | None = None,
        measuring: Measuring | None = None,
        columns: int | None = None,
    ) -> GraphPool:
        return GraphPool(
            self.graphs if graphs is None else graphs,
            self.model,
            columns=self.columns if columns is None else columns,
            kept=self.kept if kept is None else kept,
            measuring=measuring or self._measuring,
        )

    @staticmethod
    def joined(parts: Iterable[GraphPool]) -> GraphPool:
        pools = list(parts)
        graphs = [graph for part in pools for graph in part.graphs]
        kept = np.concatenate([part.kept for part in pools])
        return pools[0]._with(graphs=graphs, kept=kept, columns=max(part.columns for part in pools))

    @staticmethod
    def write(parts: Iterable[GraphPool], folder: Path) -> None:
        """Write the graphs, which are never all in memory."""
        write_pools(parts, folder)

    def save(self, folder: Path) -> None:
        self.write([self], folder)

    @classmethod
    def load(cls, folder: Path, model: GraphModel) -> GraphPool:
        """Open what `save` has written; graphs are read when they are used."""
        graphs, kept, columns = open_pool(folder, model)
        return cls(graphs, model, columns=columns, kept=kept)

    def merged(self, newer: GraphPool | None, folder: Path | None = None, *, threads: int = 1) -> GraphPool:
        """Merge newer graphs with the derivations that this pool keeps; with a folder, never all in memory."""
        parts = [self] if newer is None else self._parts(newer)
        if folder is None:
            return self if newer is None else GraphPool.joined(parts)
        self.write(parts, folder)
        measuring = self._measuring if newer is None else newer._measuring
        return GraphPool.load(folder, self.model)._with(measuring=measuring)

    def _parts(self, newer: GraphPool) -> Iterator[GraphPool]:
        columns = max(self.columns, newer.columns)
        for begin in range(0, self.sentences, BLOCK):
            some = range(begin, min(begin + BLOCK, self.sentences))
            graphs, kept = with_kept(self, newer, some, columns, self._visits)
            yield newer._with(graphs=graphs, kept=kept, columns=columns)

    _visits: Visited | None = None

    def keeping(self, visits: Floats) -> GraphPool:
        """Return the pool that keeps these derivations when newer graphs are merged into it."""
        pool = self._with()
        pool._visits = Visited.from_array(visits)
        return pool

    def reached(self, weights: Floats) -> GraphPool:
        """Return the pool as a search under these weights chooses from it (`ReachedGraphs`)."""
        w = resized(weights, self.columns)
        return self._with(ReachedGraphs(self.graphs, self.kept, self.model, w)) if self.kept.any() else self

    def new_since(self, earlier: GraphPool | None) -> int:
        """Return edges of the sentences whose graphs have changed."""
        if earlier is None:
            return self.edges
        pairs = ((self.graphs[at], earlier.graphs[at]) for at in range(self.sentences))
        return sum(new.edges for new, old in pairs if new.core.pack() != old.core.pack())

    def release(self) -> None:
        """Give back the memory of graphs that lie in a file."""
        if isinstance(self.graphs, LAZY):
            self.__dict__.pop("_loaded", None)

    def check(self, metric: Metric) -> dict[str, str]:
        return {}

    def check_choice(self, metric: Metric) -> dict[str, str]:
        if not any(graph.counts()[-1] > 1 for _, some in self.blocks() for graph in some if graph.nodes):
            raise FormatError("every graph has a single derivation: weights change nothing")
        return {}
