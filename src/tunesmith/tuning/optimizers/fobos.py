"""Forward-backward steps on single pairs."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.groups.projection import Projection
from tunesmith.tuning.losses.differences import Differences
from tunesmith.tuning.optimizers.base import Fitted, Floats, optimizers
from tunesmith.tuning.optimizers.columns import columns_named
from tunesmith.tuning.optimizers.learner import Online
from tunesmith.tuning.optimizers.online_oscar import online_oscar
from tunesmith.tuning.optimizers.schedule import Iterate, Schedule
from tunesmith.tuning.optimizers.start_weights import checked_start
from tunesmith.tuning.regularizers.base import Regularizer


@optimizers.register("fobos")
@dataclass(frozen=True)
class Fobos:
    """Online learning of ranked pairs by the hinge loss (Duchi and Singer 2009; Liu et al. 2013, Algorithm 2).

    A gradient step for a pair that is ranked wrongly or by a margin below 1, then the proximal step of the
    penalty: the published trajectory, at a cost that does not depend on the number of features (docs/oscar.md).

    passes: passes over the pairs.   shuffle: each in an order of its own.
    rate, delay: steps of rate / (delay + t), t from 1; `pairs` is a delay of as many steps as there are pairs, so
        that the first steps do not overwrite the start.
    iterate: which weights are returned, the `last`, the `average` of all, or that over the `last_pass`.
    start: from the given `weights`, or from their `dense` part with all penalised ones 0.
    dense: features that are not penalised `learn` with the others, or stay `fixed`.
    penalised: patterns of the features that are penalised and grouped, with blanks between.
    zeros: features of weight 0 take no part in the groups (`none`), or are one group of their own (`group`).
    """

    tells_progress: ClassVar[bool] = True
    needs: ClassVar[frozenset[str]] = frozenset({"pairs"})
    regularizer_needs: ClassVar[frozenset[str] | None] = frozenset({"online"})

    passes: int = 20
    rate: float = 1.0
    delay: float | Literal["pairs"] = 0.0
    iterate: Iterate = "last"
    start: Literal["weights", "dense"] = "weights"
    dense: Literal["learn", "fixed"] = "learn"
    shuffle: bool = True
    penalised: str = "id:*"
    zeros: Literal["none", "group"] = "none"

    def __post_init__(self) -> None:
        if self.delay != "pairs" and not (isinstance(self.delay, (int, float)) and 0 <= self.delay < math.inf):
            raise ConfigError(f"delay = {self.delay!r}: a number of steps of at least 0 or `pairs` was expected")
        self._schedule(pairs=0, seed=0)  # checks the rest of it
        for name, words in (
            ("start", ("weights", "dense")),
            ("dense", ("learn", "fixed")),
            ("zeros", ("none", "group")),
        ):
            if getattr(self, name) not in words:
                raise ConfigError(f"{name} = {getattr(self, name)!r}: {' or '.join(words)} was expected")
        if not self.penalised.split():
            raise ConfigError("penalised: a pattern such as id:* was expected")

    def minimize(
        self,
        objective: Any,
        regularizer: Regularizer | None,
        start: Floats,
        *,
        seed: int,
        constraints: Constraints | None = None,
        threads: int = 1,
        progress: Callable[[float], None] | None = None,
    ) -> Fitted:
        """The order of the pairs in pass j depends on (seed, j); `progress` gets the share of passes done."""
        if constraints is not None:
            raise ConfigError(
                "Fobos keeps no constraints: dense='fixed' holds all features that are not penalised, and "
                "`penalised` says which those are"
            )
        weights = checked_start(objective, start)
        differences = objective.pairs(
            columns_named(objective.features, objective.columns, self.penalised), threads=threads
        )
        found = self.learn(differences, regularizer, weights, seed=seed, progress=progress)
        penalised = np.ones(differences.columns, dtype=np.bool_)
        penalised[differences.unpenalised] = False
        value = differences.hinge(found.weights, threads=threads)
        if regularizer is not None:
            value += regularizer.value(found.weights[penalised])
        return Fitted(found.weights, value, found.details, self._projection(penalised, found))

    def learn(
        self,
        differences: Differences,
        regularizer: Any,
        start: Floats,
        *,
        seed: int,
        progress: Callable[[float], None] | None = None,
    ) -> Online:
        """The same on pairs that are differences already."""
        schedule = self._schedule(len(differences), seed, progress)
        if self.start == "dense":
            whole, start = start, np.zeros_like(start)
            start[differences.unpenalised] = whole[differences.unpenalised]
        if regularizer is None:
            return online_oscar(differences, start, l1=0.0, l2=0.0, schedule=schedule)
        found: Online = regularizer.online(differences, start, schedule)
        return found

    def _schedule(self, pairs: int, seed: int, progress: Callable[[float], None] | None = None) -> Schedule:
        return Schedule(
            passes=self.passes,
            rate=self.rate,
            delay=float(pairs) if self.delay == "pairs" else self.delay,
            iterate=self.iterate,
            learn_dense=self.dense == "learn",
            shuffle=self.shuffle,
            seed=seed,
            progress=progress,
        )

    def _projection(self, penalised: NDArray[np.bool_], found: Online) -> Projection | None:
        """Features without penalty first, each a group of its own; then the groups, highest weight first."""
        if found.groups is None:
            return None
        groups = found.groups
        if self.zeros == "group":
            groups = np.where(penalised & (groups < 0), groups.max(initial=-1) + 1, groups)
        return Projection.beside_alone(groups, penalised)
