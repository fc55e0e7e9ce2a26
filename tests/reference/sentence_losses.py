"""Slow, obvious twins of minimum risk and of the structured hinge loss; a generic solver of the latter."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import LinearConstraint, minimize

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


def lists_of(offsets: Integers) -> Iterator[range]:
    """The candidates of each sentence."""
    for begin, end in itertools.pairwise(offsets.tolist()):
        yield range(begin, end)


def risk_of_sentence(scores: Sequence[float], gains: Sequence[float], entropy: float) -> float:
    """By enumeration: the expected cost of a draw, and minus its entropy."""
    total = sum(math.exp(score - max(scores)) for score in scores)
    risk = 0.0
    for score, gain in zip(scores, gains, strict=True):
        p = math.exp(score - max(scores)) / total
        risk -= p * gain
        if p > 0:
            risk += entropy * p * math.log(p)
    return risk


def risk(matrix: Floats, offsets: Integers, gains: Floats, scale: float, entropy: float, w: Floats) -> float:
    """The mean over sentences; an empty list counts 0."""
    total = 0.0
    for numbers in lists_of(offsets):
        if numbers:
            scores = [scale * float(matrix[e] @ w) for e in numbers]
            total += risk_of_sentence(scores, [float(gains[e]) for e in numbers], entropy)
    return total / (len(offsets) - 1)


def descent(
    matrix: Floats,
    offsets: Integers,
    gains: Floats,
    scale: float,
    entropy: float,
    w: Floats,
    order: Sequence[int],
    rate: float,
    l2: float,
    steps: int,
) -> Floats:
    """A pass of stochastic gradient descent, the penalty paid by every weight in every step."""
    w = w.copy()
    for i in order:
        steps += 1
        numbers = np.arange(offsets[i], offsets[i + 1])
        gradient = l2 * w
        if len(numbers):
            rows, gain = matrix[numbers], gains[numbers]
            scores = scale * (rows @ w)
            p = np.exp(scores - scores.max())
            p /= p.sum()
            gradient = gradient - scale * (p * gain @ rows - (p @ gain) * (p @ rows))
            # The derivative of Σ p log p: Σ p · log p · (h - E[h]).
            gradient = gradient + scale * entropy * ((p * np.log(p)) @ (rows - p @ rows))
        w = w - rate / (1 + rate * l2 * steps) * gradient
    return w


def latent_hinge(
    matrix: Floats, offsets: Integers, gains: Floats, oracle: str, w: Floats
) -> tuple[float, list[int]]:
    """The mean loss, and the oracle of each sentence."""
    total, oracles = 0.0, []
    for numbers in lists_of(offsets):
        if not numbers:
            oracles.append(-1)
            continue
        score = {e: float(matrix[e] @ w) for e in numbers}
        cost = {e: float(gains[list(numbers)].max() - gains[e]) for e in numbers}
        fear = max(score[e] + cost[e] for e in numbers)
        if oracle == "gain":
            best = max((e for e in numbers if cost[e] == 0), key=lambda e: score[e])
            total += fear - score[best]
        else:
            best = max(numbers, key=lambda e: score[e] - cost[e])
            total += fear - (score[best] - cost[best])
        oracles.append(best)
    return total / (len(offsets) - 1), oracles


def hinge(
    matrix: Floats, offsets: Integers, gains: Floats, oracles: Sequence[int], curvature: Floats, w: Floats
) -> float:
    """Penalty and mean structured hinge of fixed oracles."""
    total = 0.0
    for numbers, o in zip(lists_of(offsets), oracles, strict=True):
        if numbers:
            total += max(float(gains[o] - gains[e] - w @ (matrix[o] - matrix[e])) for e in numbers)
    return total / (len(offsets) - 1) + 0.5 * float(curvature @ (w * w))


def quadratic_program(
    matrix: Floats,
    offsets: Integers,
    gains: Floats,
    oracles: Sequence[int],
    curvature: Floats,
    lower: Floats | None = None,
    upper: Floats | None = None,
) -> Floats:
    """The weights that minimise `hinge`, by a generic solver: one slack a sentence, all constraints."""
    columns, sentences = matrix.shape[1], len(offsets) - 1
    rows, costs = [], []
    for s, (numbers, o) in enumerate(zip(lists_of(offsets), oracles, strict=True)):
        for e in numbers:
            unit = np.zeros(sentences)
            unit[s] = 1.0
            rows.append(np.concatenate([matrix[o] - matrix[e], unit]))
            costs.append(gains[o] - gains[e])

    def value(x: Floats) -> float:
        return float(0.5 * curvature @ x[:columns] ** 2 + x[columns:].mean())

    def gradient(x: Floats) -> Floats:
        return np.concatenate([curvature * x[:columns], np.full(sentences, 1 / sentences)])

    infinite = np.full(columns, np.inf)
    low, high = (-infinite if lower is None else lower), (infinite if upper is None else upper)
    bounds = [*zip(low, high, strict=True), *[(0, None)] * sentences]
    begin = np.concatenate([np.clip(np.zeros(columns), low, high), np.full(sentences, 10.0)])
    found = minimize(
        value,
        begin,
        jac=gradient,
        method="SLSQP",
        bounds=bounds,
        constraints=LinearConstraint(np.array(rows), lb=np.array(costs)),
        options={"maxiter": 2000, "ftol": 1e-14},
    )
    return np.asarray(found.x[:columns])
