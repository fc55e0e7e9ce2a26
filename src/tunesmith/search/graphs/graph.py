"""The search graph: every decoder hands out one, every algorithm over derivations works on it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunesmith import _core
from tunesmith.checks import at_least, one_of
from tunesmith.corpus.vocab import Vocabulary
from tunesmith.errors import ConfigError, core_errors
from tunesmith.search.graphs.derivations import Derivation, DerivationList, Floats, Numbers, WordOf
from tunesmith.search.graphs.drawing import dot_lines
from tunesmith.search.graphs.lattice import Lattice
from tunesmith.search.graphs.oracle import OracleOptions, Oracles, search_oracle

ARRAYS: dict[str, type[Any]] = {
    "node_edges": np.uint32,
    "tail_offsets": np.uint32,
    "tails": np.uint32,
    "symbol_offsets": np.uint32,
    "symbols": np.int32,
    "edge_application": np.uint32,
    "dense_ids": np.uint32,
    "dense": np.float32,
    "sparse_offsets": np.uint32,
    "sparse_ids": np.uint32,
    "sparse_values": np.float32,
    "application_rules": np.uint32,
    "application_begins": np.uint16,
    "application_ends": np.uint16,
}


@dataclass(frozen=True)
class Expectations:
    """Expected features of a derivation under p ∝ exp(score): uses of each application, and stateful features.

    The expectation of a whole feature vector is `applications` times the feature rows of the applications, plus
    `dense` at `dense_ids`, plus `sparse_values` at `sparse_ids`.
    """

    applications: Floats
    dense: Floats
    sparse_ids: Numbers
    sparse_values: Floats


@dataclass(frozen=True)
class Pruned:
    """A part of a graph; node i of it was `nodes[i]`, and so on. Scores of its edges are `scores[edges]`."""

    graph: SearchGraph
    nodes: Numbers
    edges: Numbers
    applications: Numbers


class SearchGraph:
    """A packed hypergraph of derivations. Read-only; threads may share it.

    Nodes are in topological order, the goal last; a graph without nodes is that of a sentence for which nothing
    was found. There are no weights inside: algorithms take one score per edge, which `edge_scores` makes.
    """

    def __init__(self, core: _core.Hypergraph) -> None:
        self.core, self.nodes, self.edges = core, core.nodes, core.edges
        self.vocabulary = core.vocabulary
        """Words from this number on are source words: number - vocabulary is the position in the sentence."""

    @classmethod
    def from_arrays(cls, *, vocabulary: int = 0, **arrays: ArrayLike) -> SearchGraph:
        """Make a graph from arrays by name (`search.graph.ARRAYS`), copied and checked; missing ones are empty."""
        if unknown := set(arrays) - set(ARRAYS):
            raise ConfigError(f"no arrays of a search graph: {', '.join(sorted(unknown))}")
        given: dict[str, Any] = {}
        for name, kind in ARRAYS.items():
            empty = [0] if name == "node_edges" or name.endswith("_offsets") else []
            given[name] = _exact(name, arrays.get(name, empty), kind)
        with core_errors(None):
            return cls(_core.Hypergraph.from_arrays(**given, vocabulary=vocabulary))

    @property
    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name, read-only; `search.md` says what they hold. Each is an attribute of `core` too.

        `from_arrays` makes a graph of them.
        """
        return {name: getattr(self.core, name) for name in ARRAYS}

    def __repr__(self) -> str:
        return f"SearchGraph of {self.nodes} nodes and {self.edges} edges"

    @property
    def is_lattice(self) -> bool:
        """Whether every edge has at most one tail and appends to it, as in phrase-based search."""
        return self.core.is_lattice

    def word_of(self, vocabulary: Vocabulary, source: Sequence[str] = ()) -> WordOf:
        """Return text of the words: `source` is the sentence, for words that were passed through."""
        first = self.vocabulary

        def word_of(number: int) -> str:
            if number < first:
                return vocabulary.word(number)
            if number - first >= len(source):
                raise ConfigError(
                    f"word {number} of the graph is source word {number - first}, counted from 0, but the "
                    f"sentence has {len(source)} words; give the sentence that the graph is of"
                )
            return source[number - first]

        return word_of

    def edge_scores(self, application_scores: ArrayLike, weights: ArrayLike) -> Floats:
        """Return one score per edge: that of its application, and weights × stateful features.

        Feature ids beyond the end of `weights` weigh 0.
        """
        with core_errors(None):
            return self.core.edge_scores(_floats(application_scores), _floats(weights))

    def best(self, scores: ArrayLike) -> Derivation | None:
        """Return the best derivation; None for a graph without nodes."""
        found = self.k_best(scores, 1)
        return found[0] if found else None

    def k_best(
        self, scores: ArrayLike, k: int = 100, *, distinct: bool = False, max_skipped: int = 100_000
    ) -> DerivationList:
        """Return the k best derivations (Huang and Chiang 2005, Algorithm 3), in the same order on every machine.

        distinct: every string once, by its best derivation.   max_skipped: repeated strings thrown away, over all
        nodes, before the list is ended; it says so in `cut`.
        """
        at_least(0, k=k, max_skipped=max_skipped)
        with core_errors(None):
            return DerivationList(self.core, self.core.k_best(_floats(scores), k, distinct, max_skipped))

    def counts(self, *, log: bool = False) -> Floats:
        """Count the derivations of each node, exactly up to 2^53, or as a logarithm; infinite beyond 1e308."""
        return self.core.derivation_counts(log)

    def inside(self, scores: ArrayLike) -> Floats:
        """Return for each node log Σ exp(score) over its derivations; that of the goal is log Z."""
        with core_errors(None):
            return self.core.log_inside(_floats(scores))

    def posteriors(self, scores: ArrayLike) -> Floats:
        """Return how often a derivation uses each edge in expectation: in graphs of decoders, its probability."""
        with core_errors(None):
            return self.core.posteriors(_floats(scores))

    def max_marginals(self, scores: ArrayLike) -> Floats:
        """Return the best score of a derivation through each edge; -inf where there is none."""
        with core_errors(None):
            return self.core.max_marginals(_floats(scores))

    def expectations(self, scores: ArrayLike) -> Expectations:
        with core_errors(None):
            return Expectations(*self.core.expectations(_floats(scores)))

    def prune(self, scores: ArrayLike, beam: float) -> Pruned:
        """Return edges whose best derivation is at most `beam` worse than the best of all."""
        with core_errors(None):
            return _pruned(self.core.prune_to_beam(_floats(scores), beam))

    def prune_to_size(
        self, scores: ArrayLike, edges: int, by: Literal["posterior", "max_marginal"] = "max_marginal"
    ) -> Pruned:
        """Prune to at most this many edges, the best ones; edges of the best derivation stay in any case.

        by: `max_marginal` keeps whole derivations; by `posterior` an edge may lose a tail and then goes too.
        """
        one_of(("posterior", "max_marginal"), by=by)
        at_least(0, edges=edges)
        with core_errors(None):
            return _pruned(self.core.prune_to_size(_floats(scores), edges, getattr(_core.PruneBy, by)))

    def prune_to_density(
        self,
        scores: ArrayLike,
        reference_words: float,
        density: float = 50.0,
        by: Literal["posterior", "max_marginal"] = "max_marginal",
    ) -> Pruned:
        """Prune to at most `density` edges per reference word.

        Cherry and Foster (2012, section 3.1) keep 50 and do not say by which score; `by` is our choice.
        """
        size = density * reference_words
        if not 0 <= size < 2**32:
            raise ConfigError(f"density {density} × {reference_words} reference words is not a number of edges")
        return self.prune_to_size(scores, int(size), by)

    def oracle(
        self, scores: ArrayLike, references: Sequence[str], word_of: WordOf, options: OracleOptions | None = None
    ) -> Oracles:
        """Find the derivations with the best BLEU, or the best mixture of BLEU and model score (hope, fear)."""
        with core_errors(None):
            return search_oracle(self.core, _floats(scores), references, word_of, options or OracleOptions())

    def lattice(self, scores: ArrayLike, k: int = 1000) -> Lattice:
        """Convert to a word lattice; a hierarchical graph to that of its k best strings (`whole` is False)."""
        if self.is_lattice:
            with core_errors(None):
                return Lattice.of(self.core.lattice(_floats(scores)), whole=True)
        return Lattice.of(_core.lattice_of(self.k_best(scores, k, distinct=True).core), whole=False)

    def dot(self, word_of: WordOf = str, scores: ArrayLike | None = None) -> str:
        """Return a picture in the language of Graphviz: `dot -Tsvg`."""
        checked = None if scores is None else _floats(scores)
        if checked is not None and checked.shape != (self.edges,):
            raise ConfigError(f"scores of shape {checked.shape} for {self.edges} edges")
        return "\n".join(dot_lines(self, word_of, checked)) + "\n"


def _pruned(part: _core.Subgraph) -> Pruned:
    return Pruned(SearchGraph(part.graph), part.nodes, part.edges, part.applications)


def _floats(values: ArrayLike) -> Floats:
    array = np.ascontiguousarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ConfigError(f"expected an array of one dimension, got one of shape {array.shape}")
    return array


def _exact(name: str, values: ArrayLike, kind: type[Any]) -> NDArray[Any]:
    """Return the array in the type of the core; ConfigError where that would change a number."""
    given = np.asarray(values)
    if given.ndim != 1:
        raise ConfigError(f"{name} must have one dimension, got shape {given.shape}")
    if given.size == 0 or np.issubdtype(kind, np.floating):
        with np.errstate(over="ignore"):
            return np.ascontiguousarray(given, dtype=kind)
    limits = np.iinfo(kind)
    if not np.issubdtype(given.dtype, np.integer):
        raise ConfigError(f"{name} must be whole numbers, got {given.dtype}")
    if given.min() < limits.min or given.max() > limits.max:
        raise ConfigError(f"{name} has numbers outside {limits.min} to {limits.max}")
    return np.ascontiguousarray(given, dtype=kind)
