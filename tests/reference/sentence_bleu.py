"""Sentence BLEU as the papers write it, for one row of statistics."""

from __future__ import annotations

import math
from collections.abc import Sequence


def split(row: Sequence[float]) -> tuple[float, float, Sequence[float], Sequence[float]]:
    order = len(row) // 2 - 1
    return row[0], row[1], row[2 : 2 + order], row[2 + order :]


def brevity(length: float, reference: float) -> float:
    if length >= reference:
        return 1.0
    return math.exp(1 - reference / length) if length else 0.0


def plain(row: Sequence[float], order: int | None = None) -> float:
    """Papineni et al. (2002): brevity penalty times the geometric mean of the precisions up to `order`."""
    length, reference, matches, totals = split(row)
    order = order or len(matches)
    if not all(matches[:order]):
        return 0.0
    product = math.prod(m / t for m, t in zip(matches[:order], totals[:order], strict=True))
    return float(brevity(length, reference) * product ** (1 / order))


def plus_one(row: Sequence[float]) -> float:
    """Lin and Och (2004)."""
    length, reference, matches, totals = split(row)
    if not length or not matches[0]:
        return 0.0
    product = matches[0] / totals[0]
    for m, t in zip(matches[1:], totals[1:], strict=True):
        product *= (m + 1) / (t + 1)
    return float(brevity(length, reference) * product ** (1 / len(matches)))


def nakov(row: Sequence[float]) -> float:
    """Nakov et al. (2012): all orders smoothed, brevity smoothed, precision grounded."""
    length, reference, matches, totals = split(row)
    if not length:
        return 0.0
    order = len(matches)
    precision = math.prod((m + 1) / (t + 1) for m, t in zip(matches, totals, strict=True)) ** (1 / order)
    ground = math.prod(1 / (t + 1) for t in totals) ** (1 / order)
    return float(brevity(length, reference + 1) * (precision - ground))


def interpolated(row: Sequence[float]) -> float:
    """Liang et al. (2006), section 4."""
    order = len(row) // 2 - 1
    return float(sum(plain(row, n) / 2 ** (order - n + 1) for n in range(1, order + 1)))
