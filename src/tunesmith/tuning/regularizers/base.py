"""Protocols of regularizers: penalties on weights, added to a loss.

A penalty is a function and independent of optimizers. The protocols below state what it offers in addition to its
value; an optimizer names the protocols it supports. Penalties are on the scale of a mean loss per pair or
sentence, not of a sum.
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
        """Return the penalty, at least 0."""


@runtime_checkable
class Proximal(Penalty, Protocol):
    """A penalty with a proximal point."""

    def prox(self, w: Floats, step: float) -> Floats:
        """Return the x that minimises ½‖x - w‖² + step · value(x)."""


@runtime_checkable
class Separable(Penalty, Protocol):
    """A penalty that is a sum over single weights, so that each may have its own step.

    A learner may delay the proximal step of a weight until it reads the weight.
    """

    def prox_each(self, w: Floats, steps: Floats, /) -> Floats:
        """Return the proximal point of every weight, each for its own step."""


class Shrinkage(NamedTuple):
    """l1 · ‖w‖₁ + ½ · l2 · ‖w‖²."""

    l1: float
    l2: float


@runtime_checkable
class Shrinking(Separable, Protocol):
    """A penalty of the form `Shrinkage`: a learner can compute many steps without a gradient at once."""

    @property
    def shrinkage(self) -> Shrinkage:
        """Strengths of the penalty."""


@runtime_checkable
class Differentiable(Penalty, Protocol):
    """A penalty with a gradient."""

    def value_and_grad(self, w: Floats) -> tuple[float, Floats]:
        """Return penalty and gradient."""


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
        """Return the strengths for this number of penalised features."""


@runtime_checkable
class Sized(Ordered, Protocol):
    """An ordered penalty that depends on the number of penalised features of the whole model."""

    @property
    def dimension(self) -> int | None:
        """Number of penalised features; None for the actual number."""

    def sized(self, features: int) -> Sized:
        """Return the penalty for this number of features, unless its dimension is already set."""


@runtime_checkable
class Cumulative(Penalty, Protocol):
    """An L1 penalty that is paid as a running total (Tsuruoka et al. 2009)."""

    @property
    def cumulative_strength(self) -> float:
        """Amount that a step of length 1 adds to the total."""


regularizers: Registry[Penalty] = Registry("regularizer", "tunesmith.regularizers")


def check_strengths(**values: float) -> None:
    """Raise ConfigError unless every strength is a finite number of at least 0."""
    at_least(0, **values)
    finite(**values)
