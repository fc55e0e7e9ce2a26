"""Twin of cpp/corpus/feature_decay: every score again after every choice, O(n²)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence


def ngrams(line: str, order: int) -> list[tuple[str, ...]]:
    words = line.split()
    return [
        tuple(words[begin:end])
        for begin in range(len(words))
        for end in range(begin + 1, min(begin + order, len(words)) + 1)
    ]


def select(
    in_domain: Sequence[str], candidates: Sequence[str], sentences: int, order: int
) -> list[tuple[int, float]]:
    """Lines, from 0, and their scores, in the order of choice."""
    counts = Counter(ngram for line in in_domain for ngram in ngrams(line, order))
    tokens = sum(len(line.split()) for line in in_domain)
    number = {ngram: at for at, ngram in enumerate(counts)}  # sums go in this order
    taken: Counter[tuple[str, ...]] = Counter()
    found = [Counter(ngram for ngram in ngrams(line, order) if ngram in counts) for line in candidates]

    def score(line: int) -> float:
        total = 0.0
        for ngram in sorted(found[line], key=lambda each: number[each]):
            total += found[line][ngram] * (math.log(tokens / counts[ngram]) / (1.0 + taken[ngram]))
        return total / len(candidates[line].split()) if total else 0.0

    left = list(range(len(candidates)))
    chosen: list[tuple[int, float]] = []
    while left and len(chosen) < sentences:
        scores = {line: score(line) for line in left}
        best = max(left, key=lambda line: (scores[line], -line))
        if scores[best] == 0:
            break
        chosen.append((best, scores[best]))
        taken.update(found[best])
        left.remove(best)
    return chosen
