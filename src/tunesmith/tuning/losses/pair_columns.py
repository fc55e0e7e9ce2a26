"""Ranked pairs over the features that differ in some pair, for fits of many passes."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from tunesmith import _core
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.tuning.objectives import Floats
from tunesmith.tuning.pools.base import Integers
from tunesmith.tuning.sums.columns import Arrays, ColumnTerms
from tunesmith.tuning.sums.objective import Distributed


class NarrowPairs(Distributed):
    """The mean loss of pairs as a function of the weights of `numbers` alone, the features that differ in a pair.

    Differences are stored once, in 3 bytes as a rule, and shared by the objectives of some of the sentences.
    """

    def __init__(self, terms: ColumnTerms, numbers: Integers, weights: Floats) -> None:
        self._terms, self.numbers, self._weights = terms.weighed(weights), numbers, weights
        self.columns = len(numbers)

    @classmethod
    def of(
        cls, candidates: CandidateSet, better: Integers, worse: Integers, loss: tuple[str, float], threads: int
    ) -> NarrowPairs:
        """Return the objective of pairs that count alike."""
        found = _core.pair_columns(candidates.native, better, worse, 0, threads)
        arrays, used, weights = Arrays(*found[:-1]), found[-1], np.ones(len(better))
        return cls(ColumnTerms(arrays, weights, *loss), used.astype(np.int64), weights)

    def weighed(self, weights: Floats) -> NarrowPairs:
        """Return the objective with these weights of pairs; those of weight 0 are left out."""
        return NarrowPairs(self._terms, self.numbers, weights)

    @cached_property
    def share(self) -> float:
        return 1.0 / float(self._weights.sum())

    def terms(self) -> ColumnTerms:
        return self._terms

    def mean_squares(self, *, threads: int = 1) -> Floats:
        """Return the mean square of the difference of a pair, by column."""
        return self.share * self._terms.squares(threads)
