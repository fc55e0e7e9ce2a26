"""What a regularizer is: a penalty on weights, added to a loss. A penalty is a function and knows no optimizer.

What more it offers than its value is said by the protocols below; an optimizer names those it can work with.
Penalties are of the order of a mean loss per pair or sentence, not of a sum.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tunesmith.checks import at_least, finite
from tunesmith.registry import Registry

Floats = NDArray[np.float64]


@runtime_checkable
class Penalty(Protocol):
    """Settings of a penalty, a frozen dataclass."""

    def value(self, w: Floats) -> float:
        """The penalty, at least 0."""


@runtime_checkable
class Proximal(Penalty, Protocol):
    """A penalty with a proximal point."""

    def prox(self, w: Floats, step: float) -> Floats:
        """The x that minimises ½‖x - w‖² + step · value(x)."""


@runtime_checkable
class Separable(Penalty, Protocol):
    """A penalty that is a sum over single weights, so that each may have a step of its own.

    A learner may put off the proximal point of a weight until it looks at it.
    """

    def prox_each(self, w: Floats, steps: Floats, /) -> Floats:
        """The proximal point of every weight, each for its own step."""


class Shrinkage(NamedTuple):
    """l1 · ‖w‖₁ + ½ · l2 · ‖w‖²."""

    l1: float
    l2: float


@runtime_checkable
class Shrinking(Separable, Protocol):
    """A penalty of this form: a learner knows what many steps without a gradient make of a weight."""

    @property
    def shrinkage(self) -> Shrinkage:
        """Its strengths."""


@runtime_checkable
class Differentiable(Penalty, Protocol):
    """A penalty with a gradient."""

    def value_and_grad(self, w: Floats) -> tuple[float, Floats]:
        """Penalty and gradient."""


@runtime_checkable
class Quadratic(Penalty, Protocol):
    """½ · curvature · ‖w‖²."""

    @property
    def curvature(self) -> float:
        """The second derivative by every weight."""


class Strengths(NamedTuple):
    """l1 · Σ|w_i| + l2 · Σ_{i<j} max(|w_i|, |w_j|) over `dimension` weights."""

    l1: float
    l2: float
    dimension: int


@runtime_checkable
class Ordered(Penalty, Protocol):
    """A penalty of this form: OSCAR, or L1, which has no pairwise term."""

    def strengths(self, features: int) -> Strengths:
        """Its strengths for this number of penalised features."""


@runtime_checkable
class Sized(Ordered, Protocol):
    """An ordered penalty that depends on the number of penalised features of the whole model."""

    @property
    def dimension(self) -> int | None:
        """That number, None for as many as there are."""

    def sized(self, features: int) -> Sized:
        """The penalty for so many features, unless it has its dimension already."""


@runtime_checkable
class Cumulative(Penalty, Protocol):
    """An L1 penalty that is paid as a running total (Tsuruoka et al. 2009)."""

    @property
    def cumulative_strength(self) -> float:
        """What a step of length 1 adds to the total."""


regularizers: Registry[Penalty] = Registry("regularizer", "tunesmith.regularizers")


def check_strengths(**values: float) -> None:
    """Raise ConfigError unless every strength is a finite number of at least 0."""
    at_least(0, **values)
    finite(**values)
