"""Hope and fear updates on search graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError, core_errors
from tunesmith.metrics import Metric
from tunesmith.metrics.base import WordNgrams
from tunesmith.tuning.objectives import Floats
from tunesmith.tuning.pools.base import FEARS, HOPES, PseudoCorpus
from tunesmith.tuning.pools.counted_words import CountedWords
from tunesmith.tuning.pools.visited import Visited
from tunesmith.tuning.pools.word_ngrams import refuse_pieces

if TYPE_CHECKING:
    from tunesmith.tuning.pools.graphs import GraphPool

MOST = 20
"""A graph whose nodes are split by the words at their borders may have this many times its edges, and some."""
SOME = 20_000
MOST_DERIVATIONS = 10_000
"""Derivations of a graph that `hope=exact` compares."""


@dataclass(frozen=True, eq=False)
class Preparing:
    """What passes over some sentences of a pool are made of.

    information: weights of n-grams for NIST, of which gains are this factor.
    """

    pool: GraphPool
    ngrams: WordNgrams
    hope: str
    fear: str
    corpus: PseudoCorpus
    words: CountedWords
    most: int
    information: _core.NgramInformation | None
    factor: float

    def native(self, sentences: Sequence[int]) -> _core.GraphHopeFear:
        """Prepare the graphs of some sentences."""
        pool, corpus, ngrams = self.pool, self.corpus, self.ngrams
        with core_errors(None):
            return _core.GraphHopeFear(
                [graph.core for graph in pool.some(sentences)],
                pool.model.native_rules,
                pool.columns,
                [self.words.references[at] for at in sentences],
                ngrams.order,
                ngrams.length_rule,
                HOPES[self.hope],
                FEARS[self.fear],
                corpus.decay,
                corpus.start,
                corpus.by_length,
                self.most,
                self.hope == "exact",
                self.words.offsets,
                self.words.tokens,
                self.information,
                self.factor,
            )


class GraphUpdates:
    """Passes of updates on the graphs of a pool (`Updates`), which remember hopes and fears.

    Graphs that are not in memory are read and prepared again in every pass, some at once, in the order of the
    pass: that takes longer and changes nothing.
    """

    def __init__(self, preparing: Preparing, block: int | None) -> None:
        self._preparing, self._block = preparing, block
        self._native = preparing.native(range(preparing.pool.sentences) if block is None else ())
        self._visited = Visited()

    @classmethod
    def of(
        cls, pool: GraphPool, metric: Metric, hope: str, fear: str, corpus: PseudoCorpus, gain_scale: float
    ) -> GraphUpdates:
        """Prepare the graphs of a pool; ConfigError for a metric that is not a sum over n-grams of words."""
        refuse_pieces(pool.model, "hope and fear are looked for")
        ngrams = metric.prepared_ngrams
        if ngrams is None:
            raise ConfigError(
                "hope and fear in search graphs need a metric that counts n-grams of the words, such as bleu with "
                "a tokeniser that does not look past blanks, "
                f"not {metric.label} with these settings; tune on n-best lists instead (--recipe mira)"
            )
        references = pool.references()
        if pool.block is None and not ngrams.information:  # of a batch nearly all sentences have no graph
            references = [each if pool.graphs[at].nodes else () for at, each in enumerate(references)]
        words = CountedWords.of(pool.model.words, references, ngrams.preparation)
        information = _core.NgramInformation(words.references, ngrams.order) if ngrams.information else None
        most = MOST_DERIVATIONS if hope == "exact" else MOST * pool.largest + SOME
        factor = gain_scale / metric.scale
        return cls(Preparing(pool, ngrams, hope, fear, corpus, words, most, information, factor), pool.block)

    def background(self) -> Floats:
        return self._native.background()

    def run_pass(
        self,
        weights: Floats,
        drift: Floats,
        background: Floats,
        steps: int,
        order: NDArray[np.uint32],
        step_cap: float,
        lower: Floats,
        upper: Floats,
    ) -> tuple[int, int, float]:
        self._visited = Visited()
        if self._block is None:
            found = self._native.run_pass(weights, drift, background, steps, order, step_cap, lower, upper)
            self._visited.add_arrays(*self._native.visited())
            return found
        updates, loss = 0, 0.0
        for begin in range(0, len(order), self._block):
            some = order[begin : begin + self._block]
            native = self._preparing.native(some.tolist())
            places = np.arange(len(some), dtype=np.uint32)
            steps, more, loss = native.run_pass(
                weights, drift, background, steps, places, step_cap, lower, upper, loss
            )
            updates += more
            sentences, offsets, edges = native.visited()
            self._visited.add_arrays(some[sentences].astype(np.int64), offsets, edges)
            del native  # before the next block is prepared
        return steps, updates, loss

    def run_online(
        self,
        weights: Floats,
        drift: Floats,
        background: Floats,
        steps: int,
        order: NDArray[np.uint32],
        step_cap: float,
        lower: Floats,
        upper: Floats,
    ) -> tuple[int, int, float, NDArray[np.uint32]]:
        assert self._block is None  # graphs of a batch are in memory
        return self._native.run_online(weights, drift, background, steps, order, step_cap, lower, upper)

    def visited_since(self, earlier: Floats) -> Floats:
        found = Visited.from_array(earlier)
        found.add_all(self._visited)
        return found.to_array()
