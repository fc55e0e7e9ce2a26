"""Hope and fear updates on search graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError, core_errors
from tunesmith.metrics import Metric
from tunesmith.tuning.objectives import Floats
from tunesmith.tuning.pools.base import FEARS, HOPES, PseudoCorpus
from tunesmith.tuning.pools.visited import Visited

if TYPE_CHECKING:
    from tunesmith.tuning.pools.graphs import GraphPool

MOST = 20
"""A graph whose nodes are split by the words at their borders may have this many times its edges, and some."""
SOME = 20_000


class GraphUpdates:
    """Passes of updates on the graphs of a pool (`Updates`), which remember hopes and fears."""

    def __init__(self, native: _core.GraphHopeFear) -> None:
        self.native = native

    @classmethod
    def of(cls, pool: GraphPool, metric: Metric, hope: str, fear: str, corpus: PseudoCorpus) -> GraphUpdates:
        """Prepare the graphs of a pool; ConfigError for a metric that is not a sum over n-grams of words."""
        ngrams = metric.word_ngrams
        if ngrams is None:
            raise ConfigError(
                "hope and fear in search graphs need a metric that counts n-grams of the words, such as bleu "
                f"without tokenisation, not {metric.label}; tune on n-best lists instead (--recipe mira)"
            )
        references = pool.reference_numbers()
        graphs = [graph.core for _, some in pool.blocks() for graph in some]
        most = MOST * max((graph.edges for graph in graphs), default=0) + SOME
        with core_errors(None):
            return cls(
                _core.GraphHopeFear(
                    graphs,
                    pool.model.native_rules,
                    pool.columns,
                    references,
                    ngrams.order,
                    ngrams.length_rule,
                    HOPES[hope],
                    FEARS[fear],
                    corpus.decay,
                    corpus.start,
                    corpus.by_length,
                    most,
                )
            )

    def background(self) -> Floats:
        return self.native.background()

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
        return self.native.run_pass(weights, drift, background, steps, order, step_cap, lower, upper)

    def visited_since(self, earlier: Floats) -> Floats:
        found = Visited.from_array(earlier)
        found.add_arrays(*self.native.visited())
        return found.to_array()
