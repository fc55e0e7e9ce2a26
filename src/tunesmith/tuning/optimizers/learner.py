"""A learner of the core taken over ranked pairs: what all of them have in common."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.tuning.losses.differences import Differences
from tunesmith.tuning.optimizers.schedule import Schedule
from tunesmith.tuning.optimizers.start_weights import checked_start

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Online:
    """Weights of all features of the model, and what was seen on the way.

    groups: for every feature the number of those with exactly its weight, sign included, highest weight first;
        -1 for weight 0 and for features without penalty. None if the learner knows no groups.
    """

    weights: Floats
    groups: NDArray[np.int64] | None = None
    details: Mapping[str, float] = field(default_factory=dict)


class Learner(Protocol):
    """An online learner of the core (cpp/tuning/online/online_oscar.hpp, cumulative_l1.hpp)."""

    def run(self, differences: _core.Differences, order: NDArray[np.uint32]) -> None:
        """A step for each of these pairs."""

    def begin_average(self) -> None:
        """Sum up the weights behind each step from now on."""

    def penalised(self) -> Floats: ...
    def dense(self) -> Floats: ...
    def average_penalised(self) -> Floats: ...
    def average_dense(self) -> Floats: ...


AnyLearner = TypeVar("AnyLearner", bound=Learner)


def learn(
    make: Callable[[Floats, Floats], AnyLearner], differences: Differences, start: Floats, schedule: Schedule
) -> tuple[AnyLearner, NDArray[np.int64], Floats]:
    """All passes of a learner: itself, the columns of its penalised weights, and the weights of the model.

    make: the learner from start weights, those of penalised features and the others.
    """
    if len(differences) == 0:
        raise ConfigError(
            "there are no pairs to learn from: no two candidates of a sentence differ enough in gain"
        )
    if not len(differences.ids) and not np.any(differences.dense):
        raise ConfigError("all pairs are tied: better and worse candidates have the same features")
    columns, weights = _columns(differences, start)
    dense = differences.unpenalised
    with _settings_to_blame():
        learner = make(weights[columns], weights[dense])
    for number, order in enumerate(schedule.orders(len(differences))):
        if number == schedule.first_averaged:
            learner.begin_average()
        with _settings_to_blame():
            learner.run(differences.native, order)
        schedule.progress(number + 1, schedule.passes, "passes")
    if schedule.first_averaged is None:
        weights[columns], weights[dense] = learner.penalised(), learner.dense()
    else:
        weights[columns], weights[dense] = learner.average_penalised(), learner.average_dense()
    return learner, columns, weights


@contextmanager
def _settings_to_blame() -> Iterator[None]:
    """What the core refuses, or cannot go on with, is a matter of strengths, rate or start weights."""
    try:
        yield
    except ValueError as error:
        raise ConfigError(str(error)) from None


def _columns(differences: Differences, start: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Columns of the learner's penalised weights, and a copy of the start weights, looked at.

    Penalised features that occur in no pair but have a weight come behind those that do: they take ranks.
    """
    weights = checked_start(differences, start)
    active = np.flatnonzero(weights)
    known = np.isin(active, differences.penalised) | np.isin(active, differences.unpenalised)
    return np.concatenate([differences.penalised, active[~known]]), weights
