"""Proximity operators on sparse weights, with the groups of equal weights they make."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.tuning.regularizers.base import check_strengths

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
_FLOAT, _INTEGER = np.dtype(np.float64), np.dtype(np.int64)


@dataclass(frozen=True, eq=False)
class ProximalPoint:
    """The weights a proximity operator gives, and which of them are equal: D(W) of Liu et al. (2013).

    values: the new weights, in the order in which they were given.

    The groups are found when they are asked for first, from `values` as they then are. Weights that were pooled
    are one number to the last bit, and weights of different pools are not: so groups are the weights that are
    equal. +v and -v are two groups.
    """

    values: Floats

    @property
    def groups(self) -> NDArray[np.int32]:
        """Number of each weight's group, the largest magnitude first, +v before -v; -1 for 0."""
        return self._structure[0]

    @property
    def weights(self) -> Floats:
        """The weight of each group."""
        return self._structure[1]

    @property
    def sizes(self) -> Integers:
        """The number of weights in each group."""
        return self._structure[2]

    @functools.cached_property
    def _structure(self) -> tuple[NDArray[np.int32], Floats, Integers]:
        return _core.equal_groups(self.values)


def prox_oscar(indices: ArrayLike, values: ArrayLike, d: int, l1: float, l2: float, step: float) -> ProximalPoint:
    """Apply the proximity operator of step · OSCAR at a vector of d weights (Liu et al. 2013, Algorithm 3).

    The x that minimises ½‖x - w‖² + step · (l1 · Σ|x_i| + l2 · Σ_{i<j} max(|x_i|, |x_j|)). The weights at
    `indices` (all different and below d) are given; all others are 0, and stay so. O(u log u) for u weights given,
    whatever d is.
    """
    places, given = _sparse(indices, values, d)
    if not (0 <= l1 < math.inf and 0 <= l2 < math.inf and 0 <= step < math.inf):
        check_strengths(l1=l1, l2=l2, step=step)
    try:
        return ProximalPoint(_core.sparse_prox_oscar(places, given, d, l1, l2, step))
    except ValueError as error:
        raise ConfigError(str(error)) from None


def prox_sorted_l1(
    indices: ArrayLike, values: ArrayLike, d: int, penalties: ArrayLike, step: float
) -> ProximalPoint:
    """Apply the proximity operator of step · Σ_i penalties[i] · |x|_(i), |x|_(0) the largest (Bogdan et al. 2015).

    As `prox_oscar`, whose penalties are l1 + l2 · (d - 1 - i). They must not increase and not be negative; those
    of the first ranks are enough, as many as there are weights given.
    """
    places, given = _sparse(indices, values, d)
    check_strengths(step=step)
    falling = _vector("penalties", penalties)
    try:
        return ProximalPoint(_core.sparse_prox_sorted_l1(places, given, d, falling, step))
    except ValueError as error:
        raise ConfigError(str(error)) from None


def _sparse(indices: ArrayLike, values: ArrayLike, d: int) -> tuple[Integers, Floats]:
    """Return indices and values as arrays.

    Every comparison costs measurable time in a call for a few hundred weights.
    """
    places, given = np.asarray(indices), np.asarray(values)
    if (
        places.dtype is _INTEGER
        and given.dtype is _FLOAT
        and places.ndim == given.ndim == 1
        and isinstance(d, int)
        and len(places) == len(given) <= d < 2**63
    ):
        return places, given
    return _converted(places, _vector("values", given), d)


def _converted(places: NDArray[np.generic], given: Floats, d: int) -> tuple[Integers, Floats]:
    if places.ndim != 1 or (places.dtype.kind not in "iu" and places.size > 0):
        raise ConfigError(f"indices must be a row of integers, got shape {places.shape} and type {places.dtype}")
    if len(places) != len(given):
        raise ConfigError(f"there must be as many indices as values, got {len(places)} and {len(given)}")
    if not isinstance(d, (int, np.integer)) or not 0 <= d < 2**63:
        raise ConfigError(f"d must be a number of features, got {d}")
    if d < len(given):
        raise ConfigError(f"d = {d} features cannot hold {len(given)} weights")
    return places.astype(np.int64), given


def _vector(name: str, values: ArrayLike) -> Floats:
    vector: Floats = np.asarray(values)
    if vector.dtype is not _FLOAT:
        vector = vector.astype(np.float64)
    if vector.ndim != 1:
        raise ConfigError(f"{name} must be a row of numbers, got shape {vector.shape}")
    return vector
