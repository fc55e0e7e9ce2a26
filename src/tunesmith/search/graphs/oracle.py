"""Search for oracle, hope and fear derivations of a graph: options and results."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.checks import at_least, one_of
from tunesmith.metrics.sentence_bleu import BleuPlusOne
from tunesmith.search.graphs.derivations import DerivationList, Floats, WordOf


@dataclass(frozen=True)
class OracleOptions:
    """Options of the search for the largest model × score + metric × BLEU.

    The defaults give the oracle, with the best metric; `hope` and `fear` mix in the model score.

    k: number of derivations, with different statistics. beam: hypotheses kept at each node; `Oracles.cut` tells
        whether it was full.
    smoothing: of BLEU+1 of the sentence. background: statistics of other sentences; then BLEU is computed on the
        sum (pseudo-corpus BLEU). scale_by_reference: multiply BLEU by the length of the references, as in
        `PseudoCorpusBleu`.
    """

    model: float = 0.0
    metric: float = 1.0
    k: int = 1
    beam: int = 50
    order: int = 4
    length: Literal["closest", "shortest", "average"] = "closest"
    smoothing: BleuPlusOne = field(default_factory=BleuPlusOne)
    background: tuple[float, ...] = ()
    scale_by_reference: bool = False

    def __post_init__(self) -> None:
        at_least(1, k=self.k, beam=self.beam)
        one_of(("closest", "shortest", "average"), length=self.length)

    @classmethod
    def hope(cls, metric: float = 1.0, beam: int = 50) -> OracleOptions:
        """Return options for a hope derivation: high model score and high gain, with weight `metric`."""
        return cls(model=1.0, metric=metric, beam=beam)

    @classmethod
    def fear(cls, metric: float = 1.0, beam: int = 50) -> OracleOptions:
        """Return options for a fear derivation: high model score and low gain."""
        return cls(model=1.0, metric=-metric, beam=beam)


@dataclass(frozen=True)
class Oracles:
    """Result of the search, by descending objective; `derivations.scores` are model scores.

    objective, metric: per derivation.
    statistics: a row of BLEU statistics per derivation. cut: a beam was full, so that better derivations may
        exist.
    """

    derivations: DerivationList
    objective: Floats
    metric: Floats
    statistics: Floats

    @property
    def cut(self) -> bool:
        return self.derivations.cut


def search_oracle(
    graph: _core.Hypergraph, scores: Floats, references: Sequence[str], word_of: WordOf, options: OracleOptions
) -> Oracles:
    """Search oracle derivations. References are text; words of the graph are compared with them as text."""
    numbers, symbols = _numbered(graph.symbols, references, word_of)
    found = graph.oracle(
        scores,
        numbers,
        symbols,
        options.model,
        options.metric,
        options.k,
        options.beam,
        options.order,
        getattr(_core.LengthRule, options.length),
        options.smoothing.smooth_unigrams,
        options.smoothing.smooth_brevity,
        options.smoothing.grounded,
        list(options.background),
        options.scale_by_reference,
    )
    derivations = DerivationList(graph, found.derivations)
    rows = found.statistics.reshape(len(derivations), 2 + 2 * options.order)
    return Oracles(derivations, found.objective, found.metric, rows)


def _numbered(
    symbols: NDArray[np.int32], references: Sequence[str], word_of: WordOf
) -> tuple[list[list[int]], NDArray[np.int32]]:
    """Return the references as numbers, and the number of each symbol's word; -1 for words in no reference."""
    number: dict[str, int] = {}
    numbered = [[number.setdefault(word, len(number)) for word in text.split()] for text in references]
    different, place = np.unique(symbols, return_inverse=True)
    of_symbol = [number.get(word_of(symbol), -1) if symbol >= 0 else -1 for symbol in different.tolist()]
    return numbered, np.array(of_symbol, dtype=np.int32)[place.reshape(-1)]
