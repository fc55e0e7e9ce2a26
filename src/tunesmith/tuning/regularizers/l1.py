"""The L1 norm."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tunesmith.tuning.regularizers.base import Floats, Shrinkage, Strengths, check_strengths, regularizers


@regularizers.register("l1")
@dataclass(frozen=True)
class L1:
    """strength · ‖w‖₁: small weights become exactly 0."""

    strength: float = 1e-4

    def __post_init__(self) -> None:
        check_strengths(strength=self.strength)

    def value(self, w: Floats) -> float:
        return self.strength * float(np.abs(w).sum())

    def prox(self, w: Floats, step: float | Floats) -> Floats:
        """Return the proximal point: soft thresholding."""
        return soft_threshold(w, step * self.strength)

    prox_each = prox

    @property
    def shrinkage(self) -> Shrinkage:
        return Shrinkage(self.strength, 0.0)

    def strengths(self, features: int) -> Strengths:
        """Return strengths of OSCAR without its pairwise term (Duchi and Singer 2009)."""
        return Strengths(self.strength, 0.0, features)


def soft_threshold(w: Floats, by: float | Floats) -> Floats:
    """Move every weight towards 0 by `by`, not past it."""
    return np.copysign(np.maximum(np.abs(w) - by, 0.0), w)
