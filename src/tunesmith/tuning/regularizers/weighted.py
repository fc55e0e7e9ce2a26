"""A penalty whose strength differs from feature to feature."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np

from tunesmith.errors import ConfigError
from tunesmith.tuning.regularizers.base import Differentiable, Floats, Penalty, Proximal, Separable

PenaltyT = TypeVar("PenaltyT", bound=Penalty, covariant=True)


class Weighted(Generic[PenaltyT]):
    """The penalty, multiplied by a factor for each weight: 0 for none at all.

    For a penalty that is not a sum over weights (OSCAR) all factors but 0 must be equal: weights of factor 0 then
    stand outside of it and count nowhere.
    """

    def __init__(self, penalty: PenaltyT, factors: Floats) -> None:
        self._penalty = penalty
        self._factors: Floats | None = None  # made when a proximal point is asked for: gradients do without
        self._separable: Separable | None = penalty if isinstance(penalty, Separable) else None
        self._parts = [(float(f), np.flatnonzero(factors == f)) for f in np.unique(factors) if f != 0]
        if len(self._parts) > 1 and self._separable is None:
            raise ConfigError(
                f"{type(penalty).__name__} ties weights to each other: features may be left out of it "
                "(penalty 0), but all others need one and the same penalty"
            )

    def value(self, w: Floats) -> float:
        """Sum over the parts of equal factor."""
        return float(sum(factor * self._penalty.value(w[where]) for factor, where in self._parts))

    def value_and_grad(self: Weighted[Differentiable], w: Floats) -> tuple[float, Floats]:
        value, gradient = 0.0, np.zeros_like(w)
        for factor, where in self._parts:
            part, slope = self._penalty.value_and_grad(w[where])
            value += factor * part
            gradient[where] = factor * slope
        return value, gradient

    def prox(self: Weighted[Proximal], w: Floats, step: float) -> Floats:
        """Return the proximal point, for each weight by its factor."""
        if self._separable is not None:
            if self._factors is None:
                self._factors = np.zeros(len(w))
                for factor, where in self._parts:
                    self._factors[where] = factor
            return self._separable.prox_each(w, step * self._factors)
        result = w.copy()
        for factor, where in self._parts:
            result[where] = self._penalty.prox(w[where], step * factor)
        return result
