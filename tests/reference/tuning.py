"""Slow, obvious twins of the tuning kernels: plain Python and NumPy."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def winners(scores: Floats, offsets: Integers) -> list[int]:
    """The first best candidate of every list that has one."""
    return [
        begin + int(np.argmax(scores[begin:end]))
        for begin, end in itertools.pairwise(offsets.tolist())
        if end > begin
    ]


def totals_at(scores: Floats, offsets: Integers, statistics: Floats) -> Floats:
    """Summed statistics of the winners."""
    total: Floats = statistics[winners(scores, offsets)].sum(axis=0)
    return total


def crossings(scores: Floats, slopes: Floats, offsets: Integers) -> list[float]:
    """Every step at which two lines of a list cross: the winners can change nowhere else."""
    found = set()
    for begin, end in itertools.pairwise(offsets.tolist()):
        for i, j in itertools.combinations(range(begin, end), 2):
            if slopes[i] != slopes[j]:
                found.add(float((scores[j] - scores[i]) / (slopes[i] - slopes[j])))
    return sorted(found)


def pseudo_corpus_bleu(background: Floats, row: Floats, scale_by_length: bool = True) -> float:
    """BLEU of background + candidate, times the reference length of both."""
    together = background + row
    order = len(row) // 2 - 1
    matches, ngrams = together[2 : 2 + order], together[2 + order :]
    if min(matches) <= 0 or min(ngrams) <= 0:
        return 0.0
    precision = math.exp(sum(math.log(m / t) for m, t in zip(matches, ngrams, strict=True)) / order)
    penalty = min(1.0, math.exp(1 - together[1] / together[0]))
    return float(penalty * precision * (together[1] if scale_by_length else 1.0))


def batch_mira(
    matrix: Floats,
    offsets: Integers,
    statistics: Floats,
    start: Floats,
    orders: Sequence[Sequence[int]],
    step_cap: float = 0.01,
    decay: float = 0.999,
    hope: str = "model+gain",
    fear: str = "model-gain",
) -> list[tuple[Floats, Floats]]:
    """Cherry and Foster (2012), Algorithm 1, line by line: weights and their average after each pass."""
    background = np.ones(statistics.shape[1])
    w = start.copy()
    seen: list[Floats] = []
    result = []
    for order in orders:
        for i in order:
            candidates = range(offsets[i], offsets[i + 1])
            seen.append(w)
            if not candidates:
                continue
            gain = {e: pseudo_corpus_bleu(background, statistics[e]) for e in candidates}
            score = {e: float(matrix[e] @ w) for e in candidates}
            hopes = {
                e: (score[e] + gain[e], 0.0) if hope == "model+gain" else (gain[e], score[e]) for e in candidates
            }
            fears = {e: score[e] - (gain[e] if fear == "model-gain" else 0.0) for e in candidates}
            best = max(candidates, key=hopes.__getitem__)
            worst = max(candidates, key=fears.__getitem__)
            difference = matrix[best] - matrix[worst]
            loss = gain[best] - gain[worst] + score[worst] - score[best]
            if loss > 0 and difference @ difference > 0:
                w = w + min(step_cap, loss / (difference @ difference)) * difference
            background = decay * background + statistics[best]
        result.append((w, np.mean(seen, axis=0)))
    return result


def pair_loss(differences: Floats, w: Floats, classifier: str, smoothing: float) -> float:
    """The mean loss over rows better - worse."""
    margins = differences @ w
    if classifier == "logistic":
        return float(np.mean(np.logaddexp(0, -margins)))
    short = np.maximum(1 - margins, 0)
    rounded = np.where(short < smoothing, short**2 / (2 * max(smoothing, 1e-300)), short - smoothing / 2)
    return float(np.mean(rounded))


def expected_gain(matrix: Floats, offsets: Integers, gains: Floats, scale: float, w: Floats) -> float:
    """Minus the mean over sentences of the expected gain."""
    total = 0.0
    for begin, end in itertools.pairwise(offsets.tolist()):
        if end > begin:
            scores = scale * (matrix[begin:end] @ w)
            p = np.exp(scores - scores.max())
            total -= float(p @ gains[begin:end] / p.sum())
    return total / (len(offsets) - 1)


def oscar(w: Floats, l1: float, l2: float) -> float:
    """L1 norm and pairwise maxima, pair by pair."""
    pairs = sum(max(abs(a), abs(b)) for a, b in itertools.combinations(w.tolist(), 2))
    return float(l1 * np.abs(w).sum() + l2 * pairs)
