"""Forward-backward steps on single pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.checks import above, at_least, finite, one_of, within
from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.losses.differences import Differences, Ranked
from tunesmith.tuning.optimizers.base import (
    BatchOptimizer,
    Floats,
    OptimizerState,
    Problem,
    Progress,
    checked_start,
    optimizers,
    quiet,
)
from tunesmith.tuning.optimizers.online_groups import groups_by_sign, groups_by_value
from tunesmith.tuning.projection import Projection
from tunesmith.tuning.regularizers.base import Cumulative, Ordered, Penalty, Strengths


@dataclass(frozen=True, eq=False)
class Online:
    """Weights of all features of the model, and what was seen on the way.

    groups: for every feature the number of its group, those with exactly its weight, sign included, highest weight
        first; -1 for weight 0 and for features without penalty. None if the learner knows no groups.
    """

    weights: Floats
    groups: NDArray[np.int64] | None = None
    details: Mapping[str, float] = field(default_factory=dict)


@optimizers.register("fobos")
@dataclass(frozen=True)
class Fobos(BatchOptimizer[Ranked, Ordered | Cumulative]):
    """Online learning of ranked pairs by the hinge loss (Duchi and Singer 2009; Liu et al. 2013, Algorithm 2).

    A gradient step for a pair that is ranked wrongly or by a margin below 1, then the proximal step of the
    penalty: the published trajectory, at a cost that does not depend on the number of features (oscar.md).
    With a cumulative penalty the steps are those of Tsuruoka et al. (2009): step t has the total penalty u_t =
    strength · Σ_{s≤t} η_s, and every weight is up to date at every step; no groups are searched.

    All passes are one step of the optimizer: the learner keeps groups that move together, whose rounding depends
    on every step since they met, so weights saved between two passes would not give the same bytes.

    passes: passes over the pairs.   shuffle: each in its own order.
    rate, delay: steps of rate / (delay + t), t from 1; `pairs` is a delay of as many steps as there are pairs, so
        that the first steps do not overwrite the start.
    iterate: which weights are returned, the `last`, the `average` of all, or that over the `last_pass`.
    start: from the given `weights`, or from their `dense` part with all penalised ones 0.
    dense: features that are not penalised (a penalty of 0) `learn` with the others, or stay `fixed`.
    zeros: features of weight 0 take no part in the groups (`none`), or are one group of their own (`group`).
    """

    objective: ClassVar[type] = Ranked
    penalties: ClassVar[tuple[type, ...]] = (Ordered, Cumulative)
    online: ClassVar[bool] = True

    passes: int = 20
    rate: float = 1.0
    delay: float | Literal["pairs"] = 0.0
    iterate: Literal["last", "average", "last_pass"] = "last"
    start: Literal["weights", "dense"] = "weights"
    dense: Literal["learn", "fixed"] = "learn"
    shuffle: bool = True
    zeros: Literal["none", "group"] = "none"

    def __post_init__(self) -> None:
        at_least(1, passes=self.passes)
        above(0, rate=self.rate)
        finite(rate=self.rate)
        if self.delay != "pairs":
            if not isinstance(self.delay, (int, float)):
                raise ConfigError(f"delay must be a number of steps or pairs, got {self.delay!r}")
            at_least(0, delay=self.delay)
            finite(delay=self.delay)
        one_of(("last", "average", "last_pass"), iterate=self.iterate)
        one_of(("weights", "dense"), start=self.start)
        one_of(("learn", "fixed"), dense=self.dense)
        one_of(("none", "group"), zeros=self.zeros)

    def check(self, loss: Loss[Any, Any] | None, penalty: Penalty | None, limits: Limits | None) -> None:
        """Refuse bounds, and penalty factors other than 0 and 1."""
        if limits is not None:
            check_limits(limits)

    def solve(self, problem: Problem[Ranked, Ordered | Cumulative], start: Floats) -> OptimizerState:
        """Solve; the order of the pairs in pass j depends on (seed, j)."""
        penalised = problem.limits.factors != 0
        differences = problem.objective.pairs(np.flatnonzero(penalised), threads=problem.threads)
        found = self.learn(differences, problem.penalty, start, seed=problem.seed, progress=problem.progress)
        value = differences.hinge(found.weights, threads=problem.threads)
        if problem.penalty is not None:
            value += problem.penalty.value(found.weights[penalised])
        groups = self._projection(penalised, found)
        return OptimizerState(found.weights, value, details=found.details, groups=groups)

    def learn(
        self,
        differences: Differences,
        penalty: Ordered | Cumulative | None,
        start: Floats,
        *,
        seed: int = 1,
        progress: Progress = quiet,
    ) -> Online:
        """Learn from pairs that are differences already. The order of the pairs in pass j depends on (seed, j)."""
        within(0, 2**64 - 1, seed=seed)
        if len(differences) == 0:
            raise ConfigError(
                "there are no pairs to learn from: no two candidates of a sentence differ enough in gain"
            )
        if not len(differences.ids) and not np.any(differences.dense):
            raise ConfigError("all pairs are tied: better and worse candidates have the same features")
        given, dense = checked_start(differences, start), differences.unpenalised
        weights = given if self.start == "weights" else np.zeros_like(given)
        weights[dense] = given[dense]
        columns = penalised_columns(differences, weights)
        with blame_settings():
            learner = native_learner(
                differences, penalty, weights[columns], weights[dense], rate=self.rate,
                delay=float(len(differences)) if self.delay == "pairs" else self.delay,
                learn_dense=self.dense == "learn",
            )  # fmt: skip
        first_averaged = {"last": None, "average": 0, "last_pass": self.passes - 1}[self.iterate]
        in_order = np.arange(len(differences), dtype=np.uint32)
        for number in range(self.passes):
            if number == first_averaged:
                learner.begin_average()
            with blame_settings():
                order = _core.shuffled(len(differences), seed, number) if self.shuffle else in_order
                learner.run(differences.native, order)
            progress(number + 1, self.passes, "passes")
        if first_averaged is None:
            weights[columns], weights[dense] = learner.penalised(), learner.dense()
        else:
            weights[columns], weights[dense] = learner.average_penalised(), learner.average_dense()
        return _result(learner, differences, columns, weights, averaged=first_averaged is not None)

    def _projection(self, penalised: NDArray[np.bool_], found: Online) -> Projection | None:
        """Order features without penalty first, one group each, then the groups, highest weight first."""
        if found.groups is None:
            return None
        groups = found.groups
        if self.zeros == "group":
            groups = np.where(penalised & (groups < 0), groups.max(initial=-1) + 1, groups)
        return Projection.beside_alone(groups, penalised)


def check_limits(limits: Limits) -> None:
    """Refuse bounds, penalty factors other than 0 and 1, and penalties of nothing."""
    if limits.bounded:
        raise ConfigError(
            "Fobos keeps no bounds and fixes no single feature: dense='fixed' holds all features that are not "
            "penalised"
        )
    if not np.isin(limits.factors, (0.0, 1.0)).all():
        raise ConfigError("Fobos penalises features alike (a factor of 1) or not at all (0)")
    if not limits.factors.any():
        raise ConfigError("Fobos has no feature to penalise: every factor is 0")


def native_learner(
    differences: Differences,
    penalty: Ordered | Cumulative | None,
    penalised: Floats,
    dense: Floats,
    *,
    rate: float,
    delay: float,
    learn_dense: bool,
) -> _core.OnlineOscar | _core.CumulativeL1:
    """Return the learner of a penalty, with these weights to begin with."""
    if isinstance(penalty, Cumulative):
        return _core.CumulativeL1(penalised, dense, penalty.cumulative_strength, rate, delay, learn_dense)
    free = Strengths(0.0, 0.0, differences.dimension)
    strengths = free if penalty is None else penalty.strengths(differences.dimension)
    return _core.OnlineOscar(penalised, dense, *strengths, rate, delay, learn_dense)


@contextmanager
def blame_settings() -> Iterator[None]:
    """Turn errors of the core into ConfigError: strengths, rate or start weights are at fault."""
    try:
        yield
    except ValueError as error:
        raise ConfigError(str(error)) from None


def penalised_columns(differences: Differences, start: Floats) -> NDArray[np.int64]:
    """Return penalised features that occur in a pair, then those that only have a weight: they take ranks."""
    active = np.flatnonzero(start)
    known = np.isin(active, differences.penalised) | np.isin(active, differences.unpenalised)
    return np.concatenate([differences.penalised, active[~known]])


def _result(
    learner: _core.OnlineOscar | _core.CumulativeL1,
    differences: Differences,
    columns: NDArray[np.int64],
    weights: Floats,
    *,
    averaged: bool,
) -> Online:
    steps, violated, skipped, group_sum = learner.counts()
    details = {"steps": float(steps), "violated": violated / steps}
    active = {"active": float(np.count_nonzero(weights))}
    if isinstance(learner, _core.CumulativeL1):
        return Online(weights, None, details | active)
    penalised = weights[columns]
    groups = groups_by_value(penalised) if averaged else groups_by_sign(learner.group_numbers(), penalised)
    whole = np.full(differences.columns, -1, dtype=np.int64)
    whole[columns] = groups
    details |= {"skipped": skipped / steps, "mean_groups": group_sum / steps}
    return Online(weights, whole, details | {"groups": float(groups.max(initial=-1) + 1)} | active)
