"""Algorithms 2 and 3 of Liu et al. (2013), line by line, in NumPy.

Line 4 has the sign of the subgradient put right: the printed one climbs the loss.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tunesmith.tuning.losses.differences import Differences

Floats = np.ndarray[Any, np.dtype[np.float64]]


def group_optimization(a: Floats, t: float, d: int, l1: float, l2: float) -> Floats:
    """Algorithm 3: the W that minimises Eq. 3, for a = 2 · W^{t+1/2}."""
    order: list[int] = sorted(np.flatnonzero(a).tolist(), key=lambda i: -abs(a[i]))  # p, line 1
    rank = {i: place + 1 for place, i in enumerate(order)}  # p*

    def v(g: list[int]) -> float:
        return float(sum(abs(a[i]) - 2 * (l1 + l2 * (d - rank[i])) / t for i in g)) / (2 * len(g))

    stack: list[tuple[float, list[int]]] = []
    for i in order:  # lines 3 to 10; v is kept next to its group
        g = [i]
        while stack and v(g) >= stack[-1][0]:
            g = stack.pop()[1] + g
        stack.append((v(g), g))
    w = np.zeros(len(a))
    for value, g in stack:  # lines 12 to 16
        for i in g:
            w[i] = np.sign(a[i]) * max(value, 0.0)
    return w


@dataclass
class Twin:
    """The trajectory of Algorithm 2, one step for each call; weights by place, dense ones apart."""

    differences: Differences
    penalised: Floats
    dense: Floats
    l1: float
    l2: float
    dimension: int
    rate: float = 1.0
    delay: float = 0.0
    learn_dense: bool = True
    t: int = 0
    closest: float = np.inf  # how close a margin came to the corner of the hinge
    violated: int = 0
    seen: list[tuple[Floats, Floats]] = field(default_factory=list)  # weights after each step

    def step(self, pair: int) -> None:
        """Lines 3 to 5 for one pair."""
        data = self.differences
        x = np.zeros(len(self.penalised))
        entries = slice(data.offsets[pair], data.offsets[pair + 1])
        x[data.ids[entries]] = data.values[entries]
        self.t += 1
        short = 1.0 - float(x @ self.penalised + data.dense[pair] @ self.dense)
        self.closest = min(self.closest, abs(short))
        half = self.penalised
        if short > 0:
            self.violated += 1
            half = half + self.rate / (self.delay + self.t) * x
            if self.learn_dense:
                self.dense = self.dense + self.rate / (self.delay + self.t) * data.dense[pair]
        divisor = (self.delay + self.t + 1) / self.rate
        self.penalised = group_optimization(2 * half, divisor, self.dimension, self.l1, self.l2)
        self.seen.append((self.penalised, self.dense))

    def average(self, first: int = 0) -> tuple[Floats, Floats]:
        """Means of the weights after the steps from `first` on."""
        return (
            np.mean([each[0] for each in self.seen[first:]], axis=0),
            np.mean([each[1] for each in self.seen[first:]], axis=0),
        )
