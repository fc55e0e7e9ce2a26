"""Minimum Bayes risk over whole search graphs (Tromble et al. 2008, Kumar et al. 2009)."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from tunesmith import _core
from tunesmith.checks import above, finite, given, one_of, whole_number
from tunesmith.errors import core_errors
from tunesmith.search.graphs.derivations import Derivation
from tunesmith.search.graphs.graph import SearchGraph

MOST_EDGES = 400_000
"""Most edges of a graph after its nodes are split by their border words; larger graphs are pruned by half."""


@dataclass(frozen=True)
class GraphBayesRisk:
    """Settings of minimum Bayes risk over graphs.

    The best derivation has the highest θ_0 · words + Σ θ_n · evidence over its n-grams, a linear approximation of
    BLEU for a reference drawn from the graph: θ_0 = -1 and θ_n = 1 / (order · precision · ratio^(n - 1)), the
    parameters of Tromble et al. (2008) up to a factor.

    scale: sharpens (above 1) or flattens the distribution exp(scale × score) over derivations. precision: of
        unigrams; the precision of longer n-grams falls by `ratio` with each word.
    order: length of the longest n-grams.
    evidence: `expected`, the expected count of an n-gram in a translation (DeNero et al. 2009), or `once`, the
        probability that it occurs (Tromble et al. 2008).
    density: graphs are pruned to this number of edges per word of the best translation, by max-marginals; None for
        no pruning.
    """

    scale: float = 1.0
    precision: float = 0.8
    ratio: float = 0.6
    order: int = 4
    evidence: Literal["expected", "once"] = "expected"
    density: float | None = 50.0

    def __post_init__(self) -> None:
        above(0, precision=self.precision, ratio=self.ratio, **given(density=self.density))
        finite(scale=self.scale, precision=self.precision, ratio=self.ratio, **given(density=self.density))
        whole_number(1, 9, order=self.order)
        one_of(("expected", "once"), evidence=self.evidence)

    @property
    def thetas(self) -> list[float]:
        """Gain of a word, and of an n-gram of each order with evidence 1."""
        return [-1.0, *(1 / (self.order * self.precision * self.ratio**n) for n in range(self.order))]

    def best(self, graph: SearchGraph, scores: ArrayLike) -> Derivation | None:
        """Return the derivation of highest expected gain; None for a graph without nodes."""
        return self.best_of([graph], [scores])[0]

    def best_of(
        self, graphs: Sequence[SearchGraph], scores: Sequence[ArrayLike], *, threads: int = 1
    ) -> list[Derivation | None]:
        """Return the derivation of highest expected gain of each graph.

        scores: one for each edge of each graph.
        """
        given_scores = [np.ascontiguousarray(each, dtype=np.float64) for each in scores]
        with core_errors(None):
            offsets, edges, _ = _core.bayes_risks(
                [graph.core for graph in graphs],
                given_scores,
                self.scale,
                _core.NgramEvidence[self.evidence],
                self.thetas,
                self.density or 0.0,
                MOST_EDGES,
                threads,
            )
        found: list[Derivation | None] = []
        for graph, own, (begin, end) in zip(
            graphs, given_scores, itertools.pairwise(offsets.tolist()), strict=True
        ):
            chosen = edges[begin:end]
            words = graph.core.words_of(chosen) if end > begin else None
            found.append(None if words is None else Derivation(float(own[chosen].sum()), chosen, words))
        return found

    def posteriors(self, graph: SearchGraph, scores: ArrayLike) -> dict[tuple[int, ...], float]:
        """Return the evidence of every n-gram of the graph, by its words."""
        with core_errors(None):
            offsets, words, values, _ = _core.ngram_posteriors(
                graph.core,
                np.ascontiguousarray(scores, dtype=np.float64),
                self.scale,
                _core.NgramEvidence[self.evidence],
                self.order,
                self.density or 0.0,
                MOST_EDGES,
            )
        bounds, numbers = offsets.tolist(), words.tolist()
        return {
            tuple(numbers[begin:end]): value
            for (begin, end), value in zip(itertools.pairwise(bounds), values.tolist(), strict=True)
        }

    def gain(self, words: Sequence[int], posteriors: dict[tuple[int, ...], float]) -> float:
        """Return the expected gain of a translation, given the evidence of a graph."""
        first, *others = self.thetas
        total = first * len(words)
        for n, theta in enumerate(others, 1):
            for at in range(len(words) - n + 1):
                total += theta * posteriors.get(tuple(words[at : at + n]), 0.0)
        return total
