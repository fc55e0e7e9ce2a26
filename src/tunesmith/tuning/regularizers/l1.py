"""The L1 norm."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunesmith.tuning.losses.differences import Differences
from tunesmith.tuning.optimizers.learner import Online
from tunesmith.tuning.optimizers.online_oscar import online_oscar
from tunesmith.tuning.optimizers.schedule import Schedule
from tunesmith.tuning.regularizers.base import Floats, check_strength, regularizers


@regularizers.register("l1")
@dataclass(frozen=True)
class L1:
    """strength · ‖w‖₁: small weights become exactly 0."""

    offers: ClassVar[frozenset[str]] = frozenset({"prox", "online"})
    separable: ClassVar[bool] = True

    strength: float = 1e-4

    def __post_init__(self) -> None:
        check_strength("strength", self.strength)

    def value(self, w: Floats) -> float:
        """The norm."""
        return self.strength * float(np.abs(w).sum())

    def prox(self, w: Floats, step: float) -> Floats:
        """Soft thresholding."""
        return soft_threshold(w, step * self.strength)

    def online(self, differences: Differences, start: Floats, schedule: Schedule) -> Online:
        """OSCAR without its pairwise term (Duchi and Singer 2009)."""
        return online_oscar(differences, start, l1=self.strength, l2=0.0, schedule=schedule)


def soft_threshold(w: Floats, by: float) -> Floats:
    """Every weight moved towards 0 by `by`, not past it."""
    moved: Floats = np.copysign(np.maximum(np.abs(w) - by, 0.0), w)
    return moved
