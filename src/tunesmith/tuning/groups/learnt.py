"""Result of a learner on training data, the input of a partition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.tuning.projection import Projection

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_SENTENCES = 4096  # whose scores are centred at once


@dataclass(frozen=True, eq=False)
class Learnt:
    """Learnt weights of all features, with data about the features.

    weights: 0 for features of too few sentences; with shared features, the sums of rules. fitted: weights of the
        optimizer.
    before: weights before learning.
    grouped: features to divide into groups. alone: features that are groups of their own. rare: features of too
        few sentences. ties: features of equal weight, if the optimizer knows them. candidates: the training lists.
        seed: for random decisions.
    """

    weights: Floats
    fitted: Floats
    before: Floats
    grouped: Mask
    alone: Mask
    rare: Mask
    ties: Projection | None
    candidates: CandidateSet
    seed: int
    threads: int = 1

    def proportion(self) -> float:
        """Return the ratio between the spread of ungrouped features under their current and their learnt weights.

        The spread is that of their contribution to scores of the candidates of a sentence; 1 if they have no
        weights.
        """
        sides = (np.where(self.alone, each[: len(self.fitted)], 0.0) for each in (self.before, self.fitted))
        now, then = (self._spread(each) for each in sides)
        return now / then if now > 0 and then > 0 else 1.0

    def _spread(self, weights: Floats) -> float:
        """Return the standard deviation of scores within the lists."""
        lists = self.candidates
        scores = lists.scores(weights, threads=self.threads)
        if not len(scores):
            return 0.0
        offsets = lists.offsets
        for begin in range(0, lists.sentences, _SENTENCES):
            cuts = offsets[begin : begin + _SENTENCES + 1]
            part, sizes = scores[cuts[0] : cuts[-1]], np.diff(cuts)
            of = np.repeat(np.arange(len(sizes)), sizes)
            means = np.bincount(of, weights=part, minlength=len(sizes)) / np.maximum(sizes, 1)
            part -= means[of]
        np.square(scores, out=scores)
        return float(np.sqrt(np.mean(scores)))
