"""What a loss is: `prepare` fixes the data of one round, the objective it gives depends on the weights alone.

An objective offers what it can; optimizers ask for what they need (`compat` compares the two before any data is
read):

- `value_and_grad(w, threads)`: a number to be made small and its gradient; if there is `still_columns()`, it tells
  the weights that the value does not depend on, which saves time where there are many;
- `envelope(w, direction, threads)`: the error along a line, piecewise constant;
- `pairs(penalised_columns, threads)`: ranked pairs as sparse differences;
- `violations(w, order, state, …)`: updates of an online learner, sentence by sentence;
- `descend(w, order, rate, …)`: gradient steps on single sentences, with `value(w, threads)`;
- `cutting_planes(curvature, lower, upper)`: a convex problem for oracles that `value_and_oracles(w)` chooses.

All objectives have `features`, the names of the weights, and `columns`, their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.metrics.base import Metric
from tunesmith.registry import Registry
from tunesmith.search.candidates import CandidateSet

Floats = NDArray[np.float64]


class Objective(Protocol):
    """The loss of one round's candidates as a function of the weights, and whatever more it can do."""

    @property
    def features(self) -> Sequence[str]:
        """Names of the weights."""

    @property
    def columns(self) -> int:
        """Number of the weights."""


class Smooth(Objective, Protocol):
    """An objective with a gradient."""

    def value_and_grad(self, w: Floats, *, threads: int = 1) -> tuple[float, Floats]:
        """The value at `w`, to be made small, and its gradient."""


class Loss(Protocol):
    """Settings of a loss. `offers` names the methods its objectives have."""

    offers: ClassVar[frozenset[str]]

    def prepare(self, candidates: CandidateSet, metric: Metric, seed: int) -> Any:
        """The objective of these candidates, with everything random decided by `seed`."""


losses: Registry[Loss] = Registry("loss", "tunesmith.losses")


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
    if statistics.dtype not in (np.dtype(np.int32), np.dtype(np.float64)):
        statistics = statistics.astype(np.float64)
    return np.ascontiguousarray(statistics)
