"""The L1 norm, paid as a running total."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunesmith.tuning.losses.differences import Differences
from tunesmith.tuning.optimizers.cumulative_l1 import cumulative_l1
from tunesmith.tuning.optimizers.learner import Online
from tunesmith.tuning.optimizers.schedule import Schedule
from tunesmith.tuning.regularizers.base import Floats, check_strength, regularizers


@regularizers.register("cumulative_l1")
@dataclass(frozen=True)
class CumulativeL1:
    """strength · ‖w‖₁ for online learners (Tsuruoka et al. 2009).

    A weight pays until it has paid all that a weight of its sign could have been asked for since the start,
    whether it was there at the time or not: one that a few late pairs have made is pulled back to 0.
    """

    offers: ClassVar[frozenset[str]] = frozenset({"online"})
    separable: ClassVar[bool] = True

    strength: float = 1e-4

    def __post_init__(self) -> None:
        check_strength("strength", self.strength)

    def value(self, w: Floats) -> float:
        """The norm."""
        return self.strength * float(np.abs(w).sum())

    def online(self, differences: Differences, start: Floats, schedule: Schedule) -> Online:
        """Weights of dense features are not penalised; there are no groups."""
        return cumulative_l1(differences, start, strength=self.strength, schedule=schedule)
