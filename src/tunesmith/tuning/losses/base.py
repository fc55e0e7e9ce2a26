"""What a loss is: `prepare` fixes the data of one round, the objective it gives depends on the weights alone.

A loss says what it needs of a pool and which objective it gives; an objective offers what it can, as the protocols
below; an optimizer says which of them it minimises. `compat` compares the three before any data is read.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.metrics.base import Metric
from tunesmith.registry import Registry
from tunesmith.search.candidates import CandidateSet

if TYPE_CHECKING:
    from tunesmith.tuning.losses.differences import Differences
    from tunesmith.tuning.losses.hope_fear import Averaged

Floats = NDArray[np.float64]
PoolT = TypeVar("PoolT", contravariant=True)
ObjectiveT = TypeVar("ObjectiveT", covariant=True)


class Objective(Protocol):
    """The loss of one round's pool as a function of the weights, and whatever more it can do."""

    @property
    def columns(self) -> int:
        """Number of the weights."""


class Loss(ABC, Generic[PoolT, ObjectiveT]):
    """Settings of a loss, a frozen dataclass.   pool: what it needs of a pool, a protocol of `pools.base`."""

    pool: ClassVar[type]

    @property
    @abstractmethod
    def objective(self) -> type:
        """The class of its objectives."""

    @abstractmethod
    def prepare(self, pool: PoolT, metric: Metric, seed: int) -> ObjectiveT:
        """Return the objective of this pool, with everything random decided by `seed`."""


losses: Registry[Loss[Any, Any]] = Registry("loss", "tunesmith.losses")


@runtime_checkable
class Smooth(Objective, Protocol):
    """An objective with a gradient."""

    def value_and_grad(self, w: Floats, *, threads: int = 1) -> tuple[float, Floats]:
        """The value at `w`, to be made small, and its gradient."""


@runtime_checkable
class PartlyFlat(Smooth, Protocol):
    """A smooth objective that does not depend on some of the weights, which saves time where there are many."""

    def still_columns(self) -> NDArray[np.int64]:
        """Weights that the value does not depend on."""


@runtime_checkable
class Curved(Smooth, Protocol):
    """A smooth objective whose curvature is known."""

    def mean_squares(self, *, threads: int = 1) -> Floats:
        """Four times the most that the value is curved, by weight."""


class Valued(Objective, Protocol):
    """An objective whose value costs less than its gradient."""

    def value(self, w: Floats, *, threads: int = 1) -> float:
        """The value at `w`, to be made small."""


class Sequential(Valued, Protocol):
    """An objective that learners go through sentence by sentence."""

    @property
    def sentences(self) -> int:
        """The number of sentences an order is made of."""


@runtime_checkable
class Enveloped(Valued, Protocol):
    """An objective that is piecewise constant along every line."""

    def envelope(self, w: Floats, direction: Floats, *, threads: int = 1) -> tuple[Floats, Floats]:
        """Steps along `direction` at which the value changes, ascending; the values between them (one more)."""


class Lines(Protocol):
    """Directions made ready for `search_lines`."""

    @property
    def slopes(self) -> Floats:
        """The change of every candidate's score along each direction (directions × candidates)."""


@runtime_checkable
class LineSearched(Enveloped, Protocol):
    """An enveloped objective that searches many lines at once."""

    def lines(self, directions: Floats, *, threads: int = 1) -> Lines:
        """Prepare directions, once for many starting points."""

    def search_lines(
        self, w: Floats, lines: Lines, low: Floats, high: Floats, min_width: float, *, threads: int = 1
    ) -> tuple[Floats, Floats]:
        """For each line the step of smallest value between low and high, and that value."""

    def most_used(self, columns: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
        """At most `limit` of these columns, those that are not 0 in most translations."""


@runtime_checkable
class Ranked(Objective, Protocol):
    """An objective of ranked pairs that count alike."""

    def pairs(self, penalised_columns: NDArray[np.int64], *, threads: int = 1) -> Differences:
        """The pairs as sparse differences, for learners that go through them one by one."""


@runtime_checkable
class BySentence(Objective, Protocol):
    """An objective that can be restricted to some of the sentences."""

    def __len__(self) -> int:
        """How many terms it has; none where nothing can be learnt."""

    def of_sentences(self, chosen: NDArray[np.bool_]) -> Any:
        """The same objective on these sentences alone."""


@runtime_checkable
class Violated(Sequential, Protocol):
    """An objective of updates, sentence by sentence; its value chooses the best pass."""

    def begin(self, start: Floats) -> Averaged:
        """The state before the first update."""

    def violations(
        self, state: Averaged, order: NDArray[np.uint32], step_cap: float, lower: Floats, upper: Floats
    ) -> tuple[int, float]:
        """One pass of updates over the sentences of `order`, which changes `state`; their number, the losses."""


@runtime_checkable
class Descending(Sequential, Protocol):
    """An objective of gradient steps on single sentences."""

    def descend(self, w: Floats, order: NDArray[np.uint32], rate: float, l2: float, steps: int) -> int:
        """Steps in this order, which change `w`; the steps made so far."""


@runtime_checkable
class Latent(Objective, Protocol):
    """An objective that is convex once its oracles are fixed."""

    def value_and_oracles(self, w: Floats, *, threads: int = 1) -> tuple[float, NDArray[np.int64]]:
        """The value at `w`, and each sentence's oracle there."""

    def cutting_planes(self, curvature: Floats, lower: Floats, upper: Floats) -> _core.HingeDual:
        """The convex problem of fixed oracles with the penalty ½ · Σ curvature · w², between bounds."""


def statistics_of(candidates: CandidateSet, metric: Metric) -> NDArray[Any]:
    """The candidates' statistics, looked at: they are there and they are those of the metric."""
    statistics = candidates.statistics
    if len(candidates) == 0:
        raise ConfigError("there are no candidates to tune on")
    if statistics is None:
        raise ConfigError(
            f"the candidates have no statistics of {metric.label}. Give them some: with_statistics(…)"
        )
    if statistics.shape[1] != metric.width:
        raise ConfigError(
            f"the candidates have statistics of {statistics.shape[1]} numbers, {metric.label} has {metric.width}"
        )
    return kernel_statistics(candidates)


def kernel_statistics(candidates: CandidateSet) -> NDArray[Any]:
    """The candidates' statistics in a type that kernels take."""
    statistics = candidates.statistics
    if statistics is None:
        raise ConfigError("the candidates have no statistics of a metric. Give them some: with_statistics(…)")
    if statistics.dtype not in (np.dtype(np.int32), np.dtype(np.float64)):
        statistics = statistics.astype(np.float64)
    return np.ascontiguousarray(statistics)
