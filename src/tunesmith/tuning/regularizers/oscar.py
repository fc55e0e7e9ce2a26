"""OSCAR: weights become equal in groups."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunesmith import _core
from tunesmith.tuning.regularizers.base import Floats, check_strength, regularizers


@regularizers.register("oscar")
@dataclass(frozen=True)
class Oscar:
    """l1 · ‖w‖₁ + l2 · Σ_{i<j} max(|w_i|, |w_j|) (Bondell and Reich 2008; Liu et al. 2013, Eq. 2).

    The pairwise term counts every weight as often as there are smaller ones: l2 belongs to one dimension and is
    chosen far smaller the more features there are (Liu et al.: l1 = 1e-10, l2 = 3e-8 with 500,000).
    """

    offers: ClassVar[frozenset[str]] = frozenset({"prox"})
    separable: ClassVar[bool] = False

    l1: float = 1e-4
    l2: float = 1e-6

    def __post_init__(self) -> None:
        check_strength("l1", self.l1)
        check_strength("l2", self.l2)

    def value(self, w: Floats) -> float:
        """By sorting: the i-th largest weight is the larger one of d - i pairs."""
        return _core.oscar_value(np.ascontiguousarray(w), len(w), self.l1, self.l2)

    def prox(self, w: Floats, step: float) -> Floats:
        """Sort, pool adjacent violators, clip, sign (Liu et al. 2013, Algorithm 3): O(u log u) for u non-zeros."""
        return _core.prox_oscar(np.ascontiguousarray(w), len(w), self.l1, self.l2, step)
