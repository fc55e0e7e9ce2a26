"""Correction of p-values for multiple comparisons.

It keeps the probability of any false discovery below the level of one test.
"""

from __future__ import annotations

from collections.abc import Sequence

from tunesmith.evaluation.settings import Correction


def corrected(p_values: Sequence[float], method: Correction = "holm") -> list[float]:
    """Adjust p-values, in the given order; compare them with the usual level.

    bonferroni: m·p.   holm: step-down (Holm 1979); never larger than Bonferroni's and valid as generally.
    """
    m = len(p_values)
    if method == "none":
        return list(p_values)
    if method == "bonferroni":
        return [min(1.0, m * p) for p in p_values]
    adjusted = [0.0] * m
    largest = 0.0
    for rank, at in enumerate(sorted(range(m), key=lambda i: p_values[i])):
        largest = max(largest, min(1.0, (m - rank) * p_values[at]))
        adjusted[at] = largest
    return adjusted
