"""The expected gain of search graphs (Li and Eisner 2009)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError, core_errors
from tunesmith.metrics import Metric
from tunesmith.metrics.base import SentenceBleu
from tunesmith.search.graphs.graph import SearchGraph
from tunesmith.tuning.growth import resized
from tunesmith.tuning.objectives import Floats
from tunesmith.tuning.pools.counted_words import CountedWords
from tunesmith.tuning.pools.expected_bleu import ExpectedBleu
from tunesmith.tuning.pools.graph_updates import MOST, SOME
from tunesmith.tuning.pools.word_ngrams import refuse_pieces, word_ngrams_of

if TYPE_CHECKING:
    from tunesmith.tuning.pools.graphs import GraphPool


class ExpectedGainOfGraphs:
    """An `Expectation` over all derivations of the graphs of a pool.

    The gain is BLEU of the corpus, made linear at the expected counts of the weights asked about: at every
    evaluation, and at the beginning of every pass of stochastic descent.
    """

    def __init__(self, pool: GraphPool, metric: Metric, scale: float, entropy: float, brevity: float) -> None:
        refuse_pieces(pool.model, "expected gains are computed")
        ngrams = word_ngrams_of(metric, "expected gain of search graphs", "risk")
        self.pool, self.scale, self.entropy = pool, scale, entropy
        self.columns, self.sentences = pool.columns, pool.sentences
        self._references = pool.reference_numbers()
        self._order = ngrams.order
        counted = [graph.nodes > 0 for _, some in pool.blocks() for graph in some]
        self._graphs = sum(counted)
        self._bleu = ExpectedBleu.of(ngrams, self._references, counted, brevity)
        self._held: _core.GraphExpectation | None = None

    def __len__(self) -> int:
        """Count sentences with derivations: of a batch, those that were decoded."""
        return self._graphs

    def value(self, w: Floats, *, threads: int = 1) -> float:
        return self._value(self._counts(w, threads))[0]

    def value_and_grad(self, w: Floats, *, threads: int = 1) -> tuple[float, Floats]:
        value, worth = self._value(self._counts(w, threads))
        gradient, weights = np.zeros(self.columns), resized(w, self.columns)

        def add(some: slice, sums: _core.GraphExpectation) -> None:
            if sums is not self._held:
                sums.evaluate(weights, threads)
            gradient[:] -= sums.gradient(worth[some].ravel(), self.entropy / self.sentences, threads)

        self._each(threads, add)
        return value, gradient

    def still_columns(self) -> NDArray[np.int64]:
        """Return features that no edge has."""
        return np.flatnonzero(self.pool.edges_with_features() == 0)

    def descend(self, w: Floats, order: NDArray[np.uint32], rate: float, l2: float, steps: int) -> int:
        """Descend; of graphs that are read block by block, the sentences of a block stay together."""
        _, worth = self._value(self._counts(w, 1))
        worth *= self.sentences

        def descend(some: slice, sums: _core.GraphExpectation) -> None:
            nonlocal steps
            mine = order[(order >= some.start) & (order < some.stop)] - np.uint32(some.start)
            steps = sums.descend(worth[some].ravel(), self.entropy, w, mine, rate, l2, steps)

        self._each(1, descend)
        return steps

    def _counts(self, w: Floats, threads: int) -> Floats:
        """Return expected words, matches of each order and entropy of each sentence."""
        weights, found = resized(w, self.columns), [np.empty(0)]
        self._each(threads, lambda _, sums: found.append(sums.evaluate(weights, threads)))
        return np.concatenate(found).reshape(self.sentences, self._order + 2)

    def _value(self, counts: Floats) -> tuple[float, Floats]:
        bleu, worth = self._bleu.value_and_worth(counts[:, :-1])
        return -bleu - self.entropy * float(counts[:, -1].sum()) / max(self.sentences, 1), worth

    def _each(self, threads: int, use: Callable[[slice, _core.GraphExpectation], None]) -> None:
        """Use what sums over the derivations of some sentences, block by block.

        It is kept where all graphs are in memory, and given up before the next block is read where they are not.
        """
        with core_errors(None):
            if self._held is not None:
                use(slice(0, self.sentences), self._held)
                return
            for first, some in self.pool.blocks():
                made = self._made(first, some, threads)
                if len(some) == self.sentences:
                    self._held = made
                use(slice(first, first + len(some)), made)
                del made

    def _made(self, first: int, graphs: list[SearchGraph], threads: int) -> _core.GraphExpectation:
        most = MOST * max((graph.edges for graph in graphs), default=0) + SOME
        return _core.GraphExpectation(
            [graph.core for graph in graphs],
            self.pool.model.native_rules,
            self.columns,
            self._references[first : first + len(graphs)],
            self._order,
            most,
            self.scale,
            threads,
        )


class SummedGraphs:
    """What makes a pool of graphs one that sums over translations (`Sums`)."""

    def reference_numbers(self) -> list[list[list[int]]]:
        """Return the references of each sentence as numbers of words, -1 for a word that no graph can have."""
        pool = cast("GraphPool", self)
        return CountedWords.of(pool.model.words, pool.references(), None).references

    def expectation(
        self,
        metric: Metric,
        *,
        scale: float,
        entropy: float,
        brevity: float,
        sentence_bleu: SentenceBleu,
        by_length: bool = False,
    ) -> ExpectedGainOfGraphs:
        """Return the expected gain; ConfigError for a metric that does not count n-grams of words."""
        if sentence_bleu != "plus_one":
            raise ConfigError(
                f"sentence_bleu={sentence_bleu} is for n-best lists; search graphs are tuned by BLEU of the corpus"
            )
        if by_length:
            raise ConfigError(
                "by_length=reference is for n-best lists; search graphs are tuned by BLEU of the corpus"
            )
        return ExpectedGainOfGraphs(cast("GraphPool", self), metric, scale, entropy, brevity)
