"""What a learner has found on training data: what a partition divides."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.tuning.projection import Projection

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Learnt:
    """Weights of all features, and what is known of the features.

    weights: 0 where too few sentences have a feature; with shared features, the sums of rules.
    fitted: the weights that the optimizer found.   before: the weights before learning.
    grouped: features that are put into groups.   alone: features that are groups of their own.
    rare: features of too few sentences.   ties: features of equal weight, where the optimizer knows them.
    candidates: the training lists.   seed: for what is decided by chance.
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
        """How many times more features that stand alone tell candidates apart than with their learnt weights.

        Compared is the spread of what they give to the candidates of a sentence; 1 where they have no weights.
        """
        sides = (np.where(self.alone, each[: len(self.fitted)], 0.0) for each in (self.before, self.fitted))
        now, then = (self._spread(each) for each in sides)
        return now / then if now > 0 and then > 0 else 1.0

    def _spread(self, weights: Floats) -> float:
        """The standard deviation of scores within the lists."""
        lists = self.candidates
        scores = lists.scores(weights, threads=self.threads)
        of = lists.sentence_of
        sizes = np.maximum(np.bincount(of, minlength=lists.sentences), 1)
        means = np.bincount(of, weights=scores, minlength=lists.sentences) / sizes
        return float(np.sqrt(np.mean((scores - means[of]) ** 2))) if len(scores) else 0.0
