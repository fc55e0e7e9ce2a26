"""OSCAR: weights become equal in groups."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from tunesmith import _core
from tunesmith.checks import at_least, given
from tunesmith.errors import ConfigError
from tunesmith.tuning.regularizers.base import Floats, Sized, Strengths, check_strengths, regularizers


@regularizers.register("oscar")
@dataclass(frozen=True)
class Oscar:
    """l1 · ‖w‖₁ + l2 · Σ_{i<j} max(|w_i|, |w_j|) (Bondell and Reich 2008; Liu et al. 2013, Eq. 2).

    The pairwise term counts every weight once for each smaller weight: l2 depends on the dimension and must be far
    smaller for more features (Liu et al.: l1 = 1e-10, l2 = 3e-8 with 500,000).

    l2d: l2 times the dimension, a setting that is comparable for any number of features (there: 0.015); replaces
        l2 if given.
    dimension: number of penalised features (d), zero weights included; None for the actual number.
    """

    l1: float = 1e-4
    l2: float = 1e-6
    l2d: float | None = None
    dimension: int | None = None

    def __post_init__(self) -> None:
        check_strengths(l1=self.l1, l2=self.l2, **given(l2d=self.l2d))
        at_least(1, **given(dimension=self.dimension))

    @classmethod
    def published(cls) -> Oscar:
        """Return the strengths of Liu et al. (2013), for any number of features."""
        return cls(l1=1e-10, l2d=0.015)

    def value(self, w: Floats) -> float:
        """Compute the penalty by sorting: the i-th largest weight is the larger one of d - i pairs."""
        l1, l2, d = self.strengths(len(w))
        return _core.oscar_value(np.ascontiguousarray(w), d, l1, l2)

    def prox(self, w: Floats, step: float) -> Floats:
        """Sort, pool adjacent violators, clip, sign (Liu et al. 2013, Algorithm 3): O(u log u) for u non-zeros."""
        l1, l2, d = self.strengths(len(w))
        return _core.prox_oscar(np.ascontiguousarray(w), d, l1, l2, step)

    def sized(self, features: int) -> Oscar:
        """Return the penalty for this number of penalised features, unless its dimension is already set."""
        return self if self.dimension is not None else replace(self, dimension=features)

    def strengths(self, features: int) -> Strengths:
        """Return l1, l2 and d for this number of penalised features."""
        d = features if self.dimension is None else self.dimension
        if d < features:
            raise ConfigError(f"dimension = {d} is too small: {features} features are penalised")
        return Strengths(self.l1, self.l2 if self.l2d is None else self.l2d / max(d, 1), d)


_: Sized = Oscar()  # narrows the type for mypy
