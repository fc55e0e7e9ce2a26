"""The L1 norm, paid as a running total."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tunesmith.tuning.regularizers.base import Floats, check_strengths, regularizers


@regularizers.register("cumulative_l1")
@dataclass(frozen=True)
class CumulativeL1:
    """strength · ‖w‖₁ for online learners (Tsuruoka et al. 2009).

    A weight pays the total penalty that a weight of its sign could have paid since the start, even if it was 0
    before: a weight due to a few late pairs is pulled back to 0.
    """

    strength: float = 1e-4

    def __post_init__(self) -> None:
        check_strengths(strength=self.strength)

    def value(self, w: Floats) -> float:
        return self.strength * float(np.abs(w).sum())

    @property
    def cumulative_strength(self) -> float:
        return self.strength
