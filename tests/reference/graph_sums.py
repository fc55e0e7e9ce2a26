"""Sums over derivations of a search graph, one by one: expected counts, BLEU of them, posteriors of n-grams."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from reference.search_graph import Derivation
from tunesmith.tuning.pools.expected_bleu import SHARPNESS

Words = Sequence[int]


def ngrams(words: Words, order: int) -> Counter[tuple[int, ...]]:
    return Counter(tuple(words[i : i + n]) for n in range(1, order + 1) for i in range(len(words) - n + 1))


def probabilities(scores: Sequence[float]) -> list[float]:
    """In proportion to exp(score)."""
    highest = max(scores)
    masses = [math.exp(score - highest) for score in scores]
    return [mass / sum(masses) for mass in masses]


def counts(found: Sequence[Derivation], scale: float, references: Sequence[Words], order: int) -> list[float]:
    """Expected words, expected matches of each order (not clipped), and the entropy."""
    row = [0.0] * (order + 2)
    rows = matches([each.words for each in found], references, order)
    for numbers, p in zip(rows, probabilities([scale * each.score for each in found]), strict=True):
        for at, number in enumerate(numbers):
            row[at] += p * number
        row[-1] -= p * math.log(p) if p > 0 else 0.0
    return row


def matches(texts: Sequence[Words], references: Sequence[Words], order: int) -> list[list[int]]:
    """Words and matches of each order (not clipped) of each text."""
    known = set().union(*(ngrams(text, order) for text in references))
    rows = []
    for words in texts:
        row = [len(words)] + [0] * order
        for n in range(1, order + 1):
            row[n] = sum(tuple(words[i : i + n]) in known for i in range(len(words) - n + 1))
        rows.append(row)
    return rows


def expected_bleu(rows: Sequence[Sequence[float]], lengths: Sequence[Sequence[int]], brevity: float) -> float:
    """BLEU of expected counts; lengths: of the references, of which the closest counts."""
    order = len(rows[0]) - 1
    total = sum(row[0] for row in rows) + 1
    wanted = 1.0
    for row, each in zip(rows, lengths, strict=True):
        wanted += min(max(row[0], min(each) + brevity), max(each) + brevity)
    shortage = math.log1p(math.exp(SHARPNESS * (wanted / total - 1))) / SHARPNESS
    log = 0.0
    for n in range(1, order + 1):
        matches = sum(row[n] for row in rows) + 1
        log += math.log(matches / (sum(max(row[0] - n + 1, 0) for row in rows) + 1)) / order
    return math.exp(log - shortage)


def posteriors(
    found: Sequence[Derivation], scale: float, order: int, evidence: str
) -> dict[tuple[int, ...], float]:
    """The expected number of each n-gram, or the probability that it is there."""
    sums: dict[tuple[int, ...], float] = defaultdict(float)
    for each, p in zip(found, probabilities([scale * each.score for each in found]), strict=True):
        for ngram, times in ngrams(each.words, order).items():
            sums[ngram] += p * (times if evidence == "expected" else 1)
    return dict(sums)
