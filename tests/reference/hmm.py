"""IBM model 1 and the HMM of word alignment by their definitions: sums over all alignments of a sentence pair."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import digamma

Pair = tuple[Sequence[str], Sequence[str]]
Table = dict[tuple[str | None, str], float]


class SlowAligner:
    """to_null, uniform, prior: as in cpp/alignment/hmm.hpp."""

    def __init__(self, pairs: Sequence[Pair], to_null: float, uniform: float, prior: float) -> None:
        self.pairs, self.to_null, self.uniform, self.prior = pairs, to_null, uniform, prior
        together: dict[str | None, set[str]] = defaultdict(set)
        for f, e in pairs:
            for given in (None, *f):
                together[given] |= set(e)
        self.table: Table = {(given, e): 1 / len(words) for given, words in together.items() for e in words}
        self.jumps: dict[int, float] = defaultdict(lambda: 1.0)

    def alignments(self, pair: Pair, hmm: bool) -> Iterator[tuple[tuple[int | None, ...], float]]:
        """Every alignment (the source position of each target word, or None) with its probability."""
        f, e = pair
        for links in itertools.product([*range(len(f)), None], repeat=len(e)):
            p, last = 1.0, -1
            for j, i in enumerate(links):
                p *= self.table[None if i is None else f[i], e[j]]
                p *= self.to_null if i is None else (1 - self.to_null) * self._jump(last, i, len(f), hmm)
                last = last if i is None else i
            yield links, p

    def train(self, hmm: bool) -> None:
        counts: Table = defaultdict(float)
        jumps: dict[int, float] = defaultdict(float)
        for f, e in self.pairs:
            found = list(self.alignments((f, e), hmm))
            total = sum(p for _, p in found)
            for links, p in found:
                last = -1
                for j, i in enumerate(links):
                    counts[None if i is None else f[i], e[j]] += p / total
                    if i is not None:
                        jumps[i - last] += p / total
                        last = i
        sums: dict[str | None, float] = defaultdict(float)
        sizes: dict[str | None, int] = defaultdict(int)
        for given, word in self.table:
            sums[given] += counts[given, word]
            sizes[given] += 1
        for given, word in self.table:
            if self.prior:
                log = digamma(counts[given, word] + self.prior) - digamma(sums[given] + self.prior * sizes[given])
                self.table[given, word] = float(np.exp(log))
            else:
                self.table[given, word] = counts[given, word] / sums[given] if sums[given] else 0.0
        if hmm:
            self.jumps = jumps

    def best(self, pair: Pair, hmm: bool) -> tuple[float, set[tuple[int, int]]]:
        """The most probable alignment, and how much more probable it is than the next, as a ratio."""
        ranked = sorted(self.alignments(pair, hmm), key=lambda one: -one[1])
        margin = ranked[0][1] / ranked[1][1] if len(ranked) > 1 else 2.0
        return margin, {(i, j) for j, i in enumerate(ranked[0][0]) if i is not None}

    def _jump(self, last: int, to: int, size: int, hmm: bool) -> float:
        if not hmm:
            return 1 / size
        total = sum(self.jumps[i - last] for i in range(size))
        known = self.jumps[to - last] / total if total else 0.0
        return (1 - self.uniform) * known + self.uniform / size if total else 1 / size
