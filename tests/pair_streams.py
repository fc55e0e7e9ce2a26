"""Random streams of pairs for the online learners."""

from __future__ import annotations

from typing import Any

import numpy as np

from tunesmith.tuning.losses.differences import Differences


def random_pairs(
    random: np.random.Generator, pairs: int, penalised: int, dense: int, *, most: int = 8, counts: bool = False
) -> Differences:
    """Pairs with up to `most` entries each; values are normal, or counts (which make ties)."""
    ids: list[Any] = []
    values: list[Any] = []
    for _ in range(pairs):
        size = int(random.integers(1, min(most, penalised) + 1))
        ids.append(np.sort(random.choice(penalised, size, replace=False)))
        values.append(random.choice([-2.0, -1.0, 1.0, 2.0], size) if counts else random.normal(size=size))
    return Differences(
        np.append(0, np.cumsum([len(each) for each in ids])),
        np.concatenate(ids),
        np.concatenate(values),
        random.normal(size=(pairs, dense)),
        np.arange(dense, dense + penalised),
        np.arange(dense),
        dense + penalised,
        penalised,
    )
