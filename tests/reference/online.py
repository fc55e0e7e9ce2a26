"""Slow, obvious twins of online updates: every weight is touched in every step."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from reference.sentence_losses import lists_of

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class DenseAdaGrad:
    """AdaGrad with the proximal point of every weight after each step (Green et al. 2014, section 2)."""

    def __init__(
        self,
        start: Floats,
        *,
        rate: float = 0.02,
        epsilon: float = 1e-3,
        l1: float = 0.0,
        l2: float = 0.0,
        factors: Floats | float = 1.0,
        lower: Floats | float = -np.inf,
        upper: Floats | float = np.inf,
    ) -> None:
        self.w, self.squares = start.copy(), np.zeros(len(start))
        self.trail: list[Floats] = []
        self.rate, self.epsilon, self.l1, self.l2 = rate, epsilon, l1 * factors, l2 * factors
        self.lower, self.upper = lower, upper

    def step(self, gradient: Floats) -> None:
        self.squares += gradient**2
        rates = self.rate / (np.sqrt(self.squares) + self.epsilon)
        half = self.w - rates * gradient
        shrunk = np.sign(half) * np.maximum(0.0, np.abs(half) - rates * self.l1) / (1.0 + rates * self.l2)
        self.w = np.clip(shrunk, self.lower, self.upper)
        self.trail.append(self.w.copy())

    @property
    def average(self) -> Floats:
        return np.asarray(np.mean(self.trail, axis=0))


def expected_gain_gradient(matrix: Floats, offsets: Integers, gains: Floats, scale: float, w: Floats) -> Floats:
    """-scale · (E[G φ] - E[G] E[φ]), summed over sentences (Green et al. 2014, Eq. 3, for a gain)."""
    total = np.zeros(matrix.shape[1])
    for numbers in lists_of(offsets):
        if numbers:
            rows, gain = matrix[list(numbers)], gains[list(numbers)]
            scores = scale * (rows @ w)
            p = np.exp(scores - scores.max())
            p /= p.sum()
            total -= scale * ((p * gain) @ rows - (p @ gain) * (p @ rows))
    return total


def expected_gain_sum(matrix: Floats, offsets: Integers, gains: Floats, scale: float, w: Floats) -> float:
    """Minus the expected gain, summed over sentences."""
    total = 0.0
    for numbers in lists_of(offsets):
        if numbers:
            scores = scale * (matrix[list(numbers)] @ w)
            p = np.exp(scores - scores.max())
            total -= float(p @ gains[list(numbers)] / p.sum())
    return total


def margin_program(
    differences: Floats, losses: Floats, scores: Floats, cap: float, bound: str
) -> tuple[Floats, float]:
    """The α that maximises Eq. 4 of Watanabe et al. (2007), and its value, by a generic solver.

    differences: a row Δh for each margin.   scores: Δs of each.
    """
    products, linear = differences @ differences.T, losses - scores

    def negative(alpha: Floats) -> float:
        return float(0.5 * alpha @ products @ alpha - linear @ alpha)

    total = {"type": "ineq", "fun": lambda alpha: cap - alpha.sum(), "jac": lambda alpha: -np.ones(len(alpha))}
    found = minimize(
        negative,
        np.zeros(len(losses)),
        jac=lambda alpha: products @ alpha - linear,
        method="SLSQP",
        bounds=[(0.0, cap)] * len(losses),
        constraints=[total] if bound == "sum" else [],
        options={"maxiter": 5000, "ftol": 1e-15},
    )
    return np.asarray(found.x), -float(found.fun)


def best_oracles(documents: Sequence[float], count: int) -> list[int]:
    """The places of the highest document scores, the first of equal ones."""
    return sorted(range(len(documents)), key=lambda at: (-documents[at], at))[:count]
