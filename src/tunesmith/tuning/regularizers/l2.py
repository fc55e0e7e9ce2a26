"""The squared L2 norm."""

from __future__ import annotations

from dataclasses import dataclass

from tunesmith.tuning.regularizers.base import Floats, Shrinkage, check_strengths, regularizers


@regularizers.register("l2")
@dataclass(frozen=True)
class L2:
    """½ · strength · ‖w‖²: smooth, hence for every optimizer that supports regularizers."""

    strength: float = 1e-4

    def __post_init__(self) -> None:
        check_strengths(strength=self.strength)

    @property
    def curvature(self) -> float:
        return self.strength

    @property
    def shrinkage(self) -> Shrinkage:
        return Shrinkage(0.0, self.strength)

    def value(self, w: Floats) -> float:
        return 0.5 * self.strength * float(w @ w)

    def value_and_grad(self, w: Floats) -> tuple[float, Floats]:
        return self.value(w), self.strength * w

    def prox(self, w: Floats, step: float | Floats) -> Floats:
        """Shrink all weights by one factor, or each by its own."""
        return w / (1.0 + step * self.strength)

    prox_each = prox
