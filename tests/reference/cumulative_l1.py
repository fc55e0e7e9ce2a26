"""Cumulative-penalty L1 (Tsuruoka et al. 2009), every weight in every step, in NumPy."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from tunesmith.tuning.losses.differences import Differences

Floats = np.ndarray[Any, np.dtype[np.float64]]


def trajectory(
    data: Differences,
    order: Iterable[int],
    penalised: Floats,
    dense: Floats,
    strength: float,
    rate: float = 1.0,
    delay: float = 0.0,
) -> tuple[list[tuple[Floats, Floats]], float]:
    """Weights after each step, and how close a margin came to the corner of the hinge."""
    total, received = 0.0, np.zeros(len(penalised))  # u and q
    seen, closest = [], np.inf
    for t, pair in enumerate(order, start=1):
        step = rate / (delay + t)
        x = np.zeros(len(penalised))
        entries = slice(data.offsets[pair], data.offsets[pair + 1])
        x[data.ids[entries]] = data.values[entries]
        short = 1.0 - float(x @ penalised + data.dense[pair] @ dense)
        closest = min(closest, abs(short))
        half = penalised
        if short > 0:
            half = penalised + step * x
            dense = dense + step * data.dense[pair]
        total += strength * step
        above = np.maximum(0.0, half - (total + received))
        below = np.minimum(0.0, half + (total - received))
        penalised = np.where(half > 0, above, np.where(half < 0, below, 0.0))
        received = received + (penalised - half)
        seen.append((penalised, dense))
    return seen, closest
