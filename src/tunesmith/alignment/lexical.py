"""Word translation probabilities from an aligned corpus (Koehn et al. 2003, section 4.4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.alignment.pharaoh import WordAlignments
from tunesmith.corpus.bitext import Bitext
from tunesmith.corpus.vocab import Vocabulary
from tunesmith.errors import core_errors

NULL = "NULL"
"""The empty word as written in files; a real word of this form is written `\\NULL` there."""


@dataclass(frozen=True)
class LexicalTable:
    """p(word | given) by relative frequency of links; an unaligned word counts as linked to NULL."""

    native: _core.LexicalTable
    given: Vocabulary
    words: Vocabulary

    def __len__(self) -> int:
        return len(self.native)

    def probability(self, word: str, given: str | None) -> float:
        """Return p(word given another); 0 for pairs never linked. None as `given` is the empty word."""
        given_id = -1 if given is None else self.given.id(given)
        return self.native.probability(given_id, self.words.id(word))

    def entropy(self) -> float:
        """Return the mean entropy of p(· | given) in bits, weighted by the links of `given`; low is sharp."""
        given, _, count, probability = self.native.entries()
        real = given >= 0
        weights: NDArray[np.float64] = count[real] / max(int(count[real].sum()), 1)
        return abs(float((weights * np.log2(probability[real])).sum()))

    def lines(self) -> list[str]:
        """Return lines `given word probability`, one for each pair, by the numbers of the words, NULL first."""
        given, word, _, probability = self.native.entries()
        name = [NULL if g < 0 else _written(self.given.word(g)) for g in given.tolist()]
        return [
            f"{g} {_written(self.words.word(w))} {p:.7f}"
            for g, w, p in zip(name, word.tolist(), probability.tolist(), strict=True)
        ]


def _written(word: str) -> str:
    return f"\\{word}" if word.lstrip("\\") == NULL else word


@dataclass(frozen=True)
class LexicalTables:
    """Lexical tables of both directions."""

    target_given_source: LexicalTable
    source_given_target: LexicalTable


def count_translations(bitext: Bitext, alignments: WordAlignments, *, threads: int = 1) -> LexicalTables:
    source, target = Vocabulary.build(bitext.source), Vocabulary.build(bitext.target)
    with core_errors("alignment"):
        forward, backward = _core.count_translations(
            *source.encode(bitext.source, threads=threads),
            *target.encode(bitext.target, threads=threads),
            alignments.native,
            threads=threads,
        )
    return LexicalTables(LexicalTable(forward, source, target), LexicalTable(backward, target, source))
