"""Length, and rank in the list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tunesmith.search.list_features.base import Floats, ListFeature, list_features
from tunesmith.search.lists.candidates import CandidateSet


@list_features.register("length")
@dataclass(frozen=True)
class Length(ListFeature):
    """Number of words of a candidate."""

    def columns(self, candidates: CandidateSet, *, threads: int = 1) -> Mapping[str, Floats]:
        assert candidates.words is not None
        return {"length": np.diff(candidates.words.offsets).astype(np.float64)}


@list_features.register("rank")
@dataclass(frozen=True)
class Rank(ListFeature):
    """Rank in the list: 0 for the first candidate, 1 for the second, …; lists are usually best first."""

    def columns(self, candidates: CandidateSet, *, threads: int = 1) -> Mapping[str, Floats]:
        first = candidates.offsets[:-1][candidates.sentence_of]
        return {"rank": (np.arange(len(candidates)) - first).astype(np.float64)}
