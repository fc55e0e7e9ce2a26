"""Word lattices for other tools."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import FormatError
from tunesmith.search.graphs.derivations import Floats, Numbers, WordOf

EPSILON = "<eps>"
_NO_WORD = re.compile(r"\s|^$")


@dataclass(frozen=True)
class Lattice:
    """Arcs from smaller to larger states: 0 is the start, the last state the end. Word -1 is not a word.

    whole: the paths are the derivations of the graph, one for one. Otherwise the graph is hierarchical, and these
    are its best strings.
    """

    states: int
    sources: Numbers
    targets: Numbers
    words: NDArray[np.int32]
    scores: Floats
    whole: bool

    @classmethod
    def of(cls, core: _core.Lattice, *, whole: bool) -> Lattice:
        return cls(core.states, core.sources, core.targets, core.words, core.scores, whole)

    def openfst(self, word_of: WordOf) -> Iterator[str]:
        """Yield lines for OpenFst's `fstcompile --acceptor`; weights are costs, that is, negated scores."""
        for source, target, word, score in self._arcs():
            yield f"{source} {target} {_checked(word_of(word)) if word >= 0 else EPSILON} {-score!r}"
        if self.states:
            yield str(self.states - 1)

    def plf(self, word_of: WordOf) -> str:
        """Return one line in the Python lattice format: per state the tuples (word, score, states ahead)."""
        leaving: list[list[str]] = [[] for _ in range(self.states - 1)]
        for source, target, word, score in self._arcs():
            text = _checked(word_of(word)) if word >= 0 else "*EPS*"
            quoted = text.replace("\\", "\\\\").replace("'", "\\'")
            leaving[source].append(f"('{quoted}',{score!r},{target - source}),")
        return "(" + "".join(f"({''.join(arcs)})," for arcs in leaving) + ")"

    def _arcs(self) -> Iterator[tuple[int, int, int, float]]:
        columns = (self.sources, self.targets, self.words, self.scores)
        return zip(*(column.tolist() for column in columns), strict=True)


def _checked(word: str) -> str:
    if _NO_WORD.search(word) or word in (EPSILON, "*EPS*"):
        raise FormatError(f"the word {word!r} cannot be written to a lattice: it would be read as something else")
    return word
