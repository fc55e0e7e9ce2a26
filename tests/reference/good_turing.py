"""Simple Good-Turing (Gale and Sampson 1995), as a list of definitions."""

from __future__ import annotations

from collections import Counter

import numpy as np


def smoothed_counts(counts: list[int]) -> dict[int, float]:
    """r → r* for every count r that occurs; r* never falls and is at most r."""
    number = Counter(counts)
    seen = sorted(number)
    around = [0, *seen, 2 * seen[-1] - ([0, *seen])[-2]]
    averaged = [number[r] / (0.5 * (around[at + 2] - around[at])) for at, r in enumerate(seen)]
    slope = np.polyfit(np.log(seen), np.log(averaged), 1)[0]
    smoothed, use_turing, highest = {}, True, 0.0
    for r in range(1, seen[-1] + 1):
        fitted = r * (1 + 1 / r) ** (slope + 1)
        estimate = fitted
        if use_turing and number[r] and number[r + 1]:
            turing = (r + 1) * number[r + 1] / number[r]
            variance = (r + 1) ** 2 * number[r + 1] / number[r] ** 2 * (1 + number[r + 1] / number[r])
            use_turing = abs(turing - fitted) > 1.65 * variance**0.5
            estimate = turing if use_turing else fitted
        else:
            use_turing = False
        highest = max(highest, min(estimate, r))
        smoothed[r] = highest
    return smoothed
