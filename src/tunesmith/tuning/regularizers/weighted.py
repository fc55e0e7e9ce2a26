"""A regularizer whose strength differs from feature to feature."""

from __future__ import annotations

from typing import Any

import numpy as np

from tunesmith.errors import ConfigError
from tunesmith.tuning.regularizers.base import Floats, Regularizer


class Weighted:
    """The regularizer, multiplied by a factor for each weight: 0 for none at all.

    For a penalty that is no sum over weights (OSCAR) all factors but 0 must be the same: weights of factor 0 then
    stand outside of it and count nowhere.
    """

    def __init__(self, regularizer: Regularizer, factors: Floats) -> None:
        self.regularizer: Any = regularizer
        self.parts = [(float(f), np.flatnonzero(factors == f)) for f in np.unique(factors) if f != 0]
        if len(self.parts) > 1 and not regularizer.separable:
            raise ConfigError(
                f"{type(regularizer).__name__} ties weights to each other: features may be left out of it "
                "(penalty 0), but all others need one and the same penalty"
            )

    def value(self, w: Floats) -> float:
        """Sum over the parts of equal factor."""
        return float(sum(factor * self.regularizer.value(w[where]) for factor, where in self.parts))

    def value_and_grad(self, w: Floats) -> tuple[float, Floats]:
        """Likewise."""
        value, gradient = 0.0, np.zeros_like(w)
        for factor, where in self.parts:
            part, slope = self.regularizer.value_and_grad(w[where])
            value += factor * part
            gradient[where] = factor * slope
        return value, gradient

    def prox(self, w: Floats, step: float) -> Floats:
        """Likewise."""
        result = w.copy()
        for factor, where in self.parts:
            result[where] = self.regularizer.prox(w[where], step * factor)
        return result
