"""The expected gain of lists."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.tuning.objectives import Floats
from tunesmith.tuning.sums.lists import GainTerms
from tunesmith.tuning.sums.objective import Distributed


class ExpectedGainOfLists(Distributed):
    """An `Expectation` for given gains of all candidates.

    Return value and gradient; without entropy the gradient is -scale · (E[gain · H] - E[gain] · E[H]).
    """

    def __init__(self, candidates: CandidateSet, gains: Floats, scale: float = 1.0, entropy: float = 0.0) -> None:
        self.candidates, self.gains, self.scale, self.entropy = candidates, gains, scale, entropy
        self.columns = candidates.columns

    @property
    def sentences(self) -> int:
        return self.candidates.sentences

    def value(self, w: Floats, *, threads: int = 1) -> float:
        lists = self.candidates.native
        return _core.expected_gain(lists, self.gains, self.scale, self.entropy, w, False, threads)[0]

    @property
    def share(self) -> float:
        return 1.0 / self.sentences if self.sentences else 0.0

    def terms(self) -> GainTerms:
        lists = self.candidates
        return GainTerms(lists.native, lists.sentences, self.columns, self.gains, self.scale, self.entropy, lists)

    def value_and_slopes(self, scores: Floats) -> tuple[float, Floats]:
        """Compute the slopes p(e) · (E[gain] - gain(e)), Eq. 3 of Green et al. (2014) with gains for errors."""
        return _core.expected_gain_slopes(self.candidates.offsets, self.gains, self.scale, self.entropy, scores)

    def still_columns(self) -> NDArray[np.int64]:
        """Return features that no candidate has."""
        return self.candidates.zero_columns()

    def descend(self, w: Floats, order: NDArray[np.uint32], rate: float, l2: float, steps: int) -> int:
        return _core.descend_expected_gain(
            self.candidates.native, self.gains, self.scale, self.entropy, w, order, rate, l2, steps
        )
