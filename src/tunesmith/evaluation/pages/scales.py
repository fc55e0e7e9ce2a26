"""Axes: range, round numbers for ticks, and their labels."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

SMALLEST_SPAN = 0.05
"""Part of the largest value that an axis spans at least, so that noise does not look like a trend."""

Tick = tuple[float, str]


def axis_range(low: float, high: float, least: float = 0.0) -> tuple[float, float]:
    """Return the range to draw for values from low to high.

    It has margins on both sides and spans at least `least` and `SMALLEST_SPAN` of the largest value. It crosses 0
    only if the values do.
    """
    least = max(least, SMALLEST_SPAN * max(abs(low), abs(high)), 1e-9)
    air = max(0.06 * (high - low), (least - (high - low)) / 2)
    below, above = low - air, high + air
    if low >= 0 > below or low == 0:
        below, above = 0.0, max(above, least)
    elif high <= 0 < above:
        below, above = min(below, -least), 0.0
    return below, above


def ticks(low: float, high: float, wanted: int) -> list[float]:
    """Return about `wanted` round numbers from low to high: steps of 1, 2 or 5 times a power of ten."""
    span = high - low
    if not (span > 0 and math.isfinite(span)):
        return [low] if math.isfinite(low) else []
    power = 10.0 ** math.floor(math.log10(span / wanted))
    step = next(factor * power for factor in (1, 2, 5, 10) if span / (factor * power) <= wanted + 0.5)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 12) + 0.0 for number in range(first, last + 1)]


def tick_labels(values: Sequence[float]) -> list[str]:
    """Format numbers with as few digits as distinguish them; large numbers in k, M or G."""
    step = min((b - a for a, b in pairwise(values)), default=0.0)
    unit, letter = _unit(max(map(abs, values), default=0.0))
    digits = 0 if step <= 0 or math.isinf(unit) else max(0, -math.floor(math.log10(step / unit) + 1e-6))
    if digits > 4 or math.isinf(unit):
        return [f"{value:.3g}" for value in values]
    return [f"{value / unit:,.{digits}f}{letter if value else ''}" for value in values]


def _unit(largest: float) -> tuple[float, str]:
    """Return the unit of numbers up to this one; labels of an axis have room for five digits."""
    if largest >= 1e12:
        return math.inf, ""
    units = ((1e9, 1e9, "G"), (1e6, 1e6, "M"), (1e4, 1e3, "k"))
    return next(((unit, letter) for least, unit, letter in units if largest >= least), (1.0, ""))


def linear_ticks(low: float, high: float, wanted: int = 6) -> list[Tick]:
    values = ticks(low, high, wanted)
    return list(zip(values, tick_labels(values), strict=True))


def whole_ticks(low: float, high: float, wanted: int = 6) -> list[Tick]:
    """Return ticks at whole numbers only, such as rounds."""
    return [(value, f"{value:,g}") for value in ticks(low, high, wanted) if value == int(value)]


def log_ticks(low: float, high: float) -> list[Tick]:
    """Return ticks of a logarithmic axis (base 10): powers of ten, and 2 and 5 times these if they are few.

    Only whole numbers have ticks, for counts.
    """
    factors = (1, 2, 5) if high - low < 2.5 else (1,)
    every = [
        factor * 10**power for power in range(max(0, math.floor(low)), math.ceil(high) + 1) for factor in factors
    ]
    shown = [value for value in every if low <= math.log10(value) <= high]
    return [(math.log10(value), _count(value)) for value in shown]


def _count(value: int) -> str:
    unit, letter = _unit(value)
    return f"{value:.3g}" if math.isinf(unit) else f"{value / unit:,g}{letter}"
