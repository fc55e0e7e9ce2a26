"""L1 and squared L2 together."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tunesmith.tuning.regularizers.base import Floats, Shrinkage, check_strengths, regularizers
from tunesmith.tuning.regularizers.l1 import soft_threshold


@regularizers.register("elastic_net")
@dataclass(frozen=True)
class ElasticNet:
    """l1 · ‖w‖₁ + ½ · l2 · ‖w‖² (Zou and Hastie 2005, in their naive form)."""

    l1: float = 1e-4
    l2: float = 1e-4

    def __post_init__(self) -> None:
        check_strengths(l1=self.l1, l2=self.l2)

    @property
    def shrinkage(self) -> Shrinkage:
        return Shrinkage(self.l1, self.l2)

    def value(self, w: Floats) -> float:
        return self.l1 * float(np.abs(w).sum()) + 0.5 * self.l2 * float(w @ w)

    def prox(self, w: Floats, step: float | Floats) -> Floats:
        """Apply soft thresholding, then shrinking."""
        return soft_threshold(w, step * self.l1) / (1.0 + step * self.l2)

    prox_each = prox
