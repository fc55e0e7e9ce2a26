"""Random streams of pairs for the online learners."""

from __future__ import annotations

from typing import Any

import numpy as np

from tunesmith.search import CandidateSet
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses.differences import Differences
from tunesmith.tuning.losses.pairwise_ranking import RankedPairs

RULES = Limits.penalising(np.arange(42) >= 2)
"""Limits of `ranked_pairs`: rules have a penalty."""


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


def ranked_pairs(seed=1, rules=40):
    """Two dense features and one for each rule; 4 sentences of 10 candidates."""
    random = np.random.default_rng(seed)
    values = np.hstack([random.normal(size=(40, 2)), random.integers(0, 3, (40, rules))])
    names = ["lm", "word_penalty", *(f"id:{number}" for number in range(rules))]
    candidates = CandidateSet.from_matrix(values, np.arange(0, 41, 10), names=names)
    better = np.concatenate([random.integers(0, 10, 8) + 10 * s for s in range(4)])
    worse = np.concatenate([random.integers(0, 10, 8) + 10 * s for s in range(4)])
    return RankedPairs(candidates, better, worse)
