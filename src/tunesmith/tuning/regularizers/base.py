"""What a regularizer is: a penalty on weights, added to a loss.

It offers `value`, `prox` (its proximal point), `value_and_grad` if it has a gradient, `online` if steps on single
pairs need not pay for every weight, and `curvature` if it is ½ · curvature · ‖w‖²; `separable` says that it is a
sum over single weights. Penalties are of the order of a mean loss per pair or sentence, not of a sum.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.registry import Registry

if TYPE_CHECKING:
    from tunesmith.tuning.losses.differences import Differences
    from tunesmith.tuning.optimizers.learner import Online
    from tunesmith.tuning.optimizers.schedule import Schedule

Floats = NDArray[np.float64]


class Regularizer(Protocol):
    """Settings of a penalty. `offers` names its methods beside `value`."""

    offers: ClassVar[frozenset[str]]
    separable: ClassVar[bool]

    def value(self, w: Floats) -> float:
        """The penalty, at least 0."""


class Proximal(Regularizer, Protocol):
    """A penalty with a proximal point."""

    def prox(self, w: Floats, step: float) -> Floats:
        """The x that minimises ½‖x - w‖² + step · value(x)."""


class Differentiable(Regularizer, Protocol):
    """A penalty with a gradient."""

    def value_and_grad(self, w: Floats) -> tuple[float, Floats]:
        """Penalty and gradient."""


class Quadratic(Regularizer, Protocol):
    """Half the squared norm times a number."""

    @property
    def curvature(self) -> float:
        """The second derivative by every weight."""


class Lazy(Regularizer, Protocol):
    """A penalty that an online learner can put off: weights pay when they are looked at, not in every step."""

    def online(self, differences: Differences, start: Floats, schedule: Schedule) -> Online:
        """The hinge loss of ranked pairs and this penalty, by steps on single pairs."""


regularizers: Registry[Regularizer] = Registry("regularizer", "tunesmith.regularizers")


def check_strength(name: str, value: float) -> None:
    """A strength is a finite number of at least 0."""
    if not 0 <= value < math.inf:
        raise ConfigError(f"{name} = {value}: a number of at least 0 was expected")
