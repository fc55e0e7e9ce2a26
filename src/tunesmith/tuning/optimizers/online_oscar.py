"""Online OSCAR on ranked pairs: weights, and which features share one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.tuning.losses.differences import Differences
from tunesmith.tuning.optimizers.learner import Floats, Online, learn
from tunesmith.tuning.optimizers.schedule import Schedule

TIED = 1e-9
"""Averages that differ by no more than this share of themselves are equal: the same sums in another order."""


def online_oscar(
    differences: Differences,
    start: Floats,
    *,
    l1: float,
    l2: float,
    dimension: int | None = None,
    schedule: Schedule | None = None,
) -> Online:
    """Algorithm 2 of Liu et al. (2013), exact: hinge loss of pairs and OSCAR by forward-backward steps.

    dimension: the number of penalised features (d), those of the model by default.
    """
    chosen = schedule or Schedule()
    d = differences.dimension if dimension is None else dimension
    if d < differences.dimension:
        raise ConfigError(f"dimension = {d} is too small: {differences.dimension} features are penalised")

    def make(penalised: Floats, dense: Floats) -> _core.OnlineOscar:
        return _core.OnlineOscar(penalised, dense, l1, l2, d, chosen.rate, chosen.delay, chosen.learn_dense)

    learner, columns, weights = learn(make, differences, start, chosen)
    if chosen.first_averaged is None:
        groups = _signed(learner.group_numbers(), weights[columns])
    else:
        groups = _by_value(weights[columns])
    whole = np.full(differences.columns, -1, dtype=np.int64)
    whole[columns] = groups
    steps, violated, skipped, group_sum = learner.counts()
    details = {
        "steps": float(steps),
        "violated": violated / steps,
        "skipped": skipped / steps,
        "mean_groups": group_sum / steps,
        "groups": float(groups.max(initial=-1) + 1),
        "active": float(np.count_nonzero(weights)),
    }
    return Online(weights, whole, details)


def _signed(numbers: NDArray[np.int64], weights: Floats) -> NDArray[np.int64]:
    """Groups of |w| cut by sign, numbered from the highest weight to the lowest."""
    count = int(numbers.max(initial=-1)) + 1
    # Positive groups in their order, then the negative ones from the smallest |w| on.
    keys = np.where(weights > 0, numbers, 2 * count - 1 - numbers)
    keys[(numbers < 0) | (weights == 0)] = -1
    return _compact(keys)


def _by_value(weights: Floats) -> NDArray[np.int64]:
    """The same for weights whose groups are not known."""
    order = np.argsort(-weights, kind="stable")
    ordered = weights[order]
    apart = np.ones(len(weights), dtype=np.bool_)
    apart[1:] = ordered[:-1] - ordered[1:] > TIED * np.abs(ordered[1:])
    keys = np.empty(len(weights), dtype=np.int64)
    keys[order] = np.cumsum(apart)
    keys[weights == 0] = -1
    return _compact(keys)


def _compact(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Keys of at least 0 as 0, 1, 2 …, in their order; -1 stays."""
    used = np.unique(keys[keys >= 0])
    numbers: NDArray[np.int64] = np.where(keys >= 0, np.searchsorted(used, keys), -1)
    return numbers
