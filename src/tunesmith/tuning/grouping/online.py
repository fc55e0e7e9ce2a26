"""Online learning on ranked pairs: how long and with which steps, and what comes out of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.tuning.grouping.differences import Differences

Floats = NDArray[np.float64]
Iterate = Literal["last", "average", "last_pass"]


@dataclass(frozen=True)
class Schedule:
    """Passes over the pairs with steps rate / (delay + t), and which weights are returned.

    iterate: `last` weights, their `average` over all steps, or over those of the `last_pass`.
    learn_dense: whether weights without penalty take part, or keep their start.
    shuffle: every pass in an order of its own that depends on (seed, pass), or as the pairs stand.
    progress: called behind each pass with the share of the passes that is done.
    """

    passes: int = 20
    rate: float = 1.0
    delay: float = 0.0
    iterate: Iterate = "last"
    learn_dense: bool = True
    shuffle: bool = True
    seed: int = 1
    progress: Callable[[float], None] | None = field(default=None, compare=False)

    def orders(self, pairs: int) -> Iterator[NDArray[np.uint32]]:
        """The order of the pairs in each pass."""
        for number in range(self.passes):
            if self.shuffle:
                yield _core.shuffled(pairs, self.seed, number)
            else:
                yield np.arange(pairs, dtype=np.uint32)


@dataclass(frozen=True, eq=False)
class Online:
    """Weights of all features of the model, and what was seen on the way.

    groups: for every feature the number of those with exactly its weight, sign included, highest weight first;
        -1 for weight 0 and for features without penalty. None if the learner knows no groups.
    """

    weights: Floats
    groups: NDArray[np.int64] | None = None
    details: Mapping[str, float] = field(default_factory=dict)


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
    schedule = schedule or Schedule()
    places, weights = _places(differences, start)
    learner = _learner(differences, weights[places], weights, l1, l2, dimension, schedule)
    first_averaged = {"last": None, "average": 0, "last_pass": schedule.passes - 1}[schedule.iterate]
    for number, order in enumerate(schedule.orders(len(differences))):
        if number == first_averaged:
            learner.begin_average()
        try:
            learner.run(order)
        except ValueError as error:
            raise ConfigError(str(error)) from None
        if schedule.progress is not None:
            schedule.progress((number + 1) / schedule.passes)
    if schedule.iterate == "last":
        weights[places], weights[differences.unpenalised] = learner.penalised(), learner.dense()
        groups = _signed(learner.group_numbers(), weights[places])
    else:
        averages = learner.average_penalised()
        weights[places], weights[differences.unpenalised] = averages, learner.average_dense()
        groups = _by_value(averages)
    whole = np.full(differences.columns, -1, dtype=np.int64)
    whole[places] = groups
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


def _places(differences: Differences, start: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Columns of the learner's penalised weights, and a copy of the start weights, looked at.

    Penalised features that occur in no pair but have a weight come behind those that do: they take ranks.
    """
    weights = np.array(start, dtype=np.float64)
    if weights.shape != (differences.columns,):
        raise ConfigError(f"start weights of shape {weights.shape} for {differences.columns} features")
    if not np.isfinite(weights).all():
        raise ConfigError("start weights must be finite numbers")
    active = np.flatnonzero(weights)
    known = np.isin(active, differences.penalised) | np.isin(active, differences.unpenalised)
    return np.concatenate([differences.penalised, active[~known]]), weights


def _learner(
    differences: Differences,
    penalised: Floats,
    weights: Floats,
    l1: float,
    l2: float,
    dimension: int | None,
    schedule: Schedule,
) -> _core.OnlineOscar:
    if len(differences) == 0:
        raise ConfigError(
            "there are no pairs to learn from: no two candidates of a sentence differ enough in gain"
        )
    if not len(differences.ids) and not np.any(differences.dense):
        raise ConfigError("all pairs are tied: better and worse candidates have the same features")
    try:
        return _core.OnlineOscar(
            differences.native,
            penalised,
            weights[differences.unpenalised],
            l1,
            l2,
            differences.dimension if dimension is None else dimension,
            schedule.rate,
            schedule.delay,
            schedule.learn_dense,
        )
    except (ValueError, TypeError) as error:
        raise ConfigError(str(error)) from None


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
