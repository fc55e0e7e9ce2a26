"""Stochastic gradient descent on sentences."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Constraints, Limits
from tunesmith.tuning.optimizers.base import Fitted, Floats, limits_for, optimizers
from tunesmith.tuning.optimizers.start_weights import checked_start
from tunesmith.tuning.regularizers.base import Regularizer

_TRIES = 40  # factors of 2: enough for any rate that a double can tell apart from 0 in a useful way


@optimizers.register("stochastic_gradient")
@dataclass(frozen=True)
class StochasticGradient:
    """Steps on single sentences in random order, as Cherry and Foster (2012, section 4) minimise risk.

    Rates are η0 / (1 + η0 · λ · t) with λ the strength of the L2 penalty (Bottou 2010). η0 is doubled or halved
    as long as the value after one pass gets smaller, first from 1, then from the η0 before. When passes do not
    improve any more, the sentences are shuffled again, η0 is chosen anew and t begins at 1, from the best weights
    so far.

    restarts: how often that is done behind the first descent.
    passes: the most passes of each descent.
    tol: a descent ends when a pass improves the value by less than this share of it.
    """

    needs: ClassVar[frozenset[str]] = frozenset({"descend"})
    regularizer_needs: ClassVar[frozenset[str] | None] = frozenset({"curvature"})

    restarts: int = 5
    passes: int = 50
    tol: float = 1e-4

    def __post_init__(self) -> None:
        if self.restarts < 0:
            raise ConfigError(f"restarts = {self.restarts}: at least 0 was expected")
        if self.passes < 1:
            raise ConfigError(f"passes = {self.passes}: at least 1 was expected")
        if not 0 <= self.tol < math.inf:
            raise ConfigError(f"tol = {self.tol}: a number of at least 0 was expected")

    def check_limits(self, regularizer: Regularizer | None, limits: Limits) -> None:
        """A ConfigError: there are constraints."""
        raise ConfigError("StochasticGradient keeps no constraints; Lbfgs does (risk without --plain)")

    def minimize(
        self,
        objective: Any,
        regularizer: Regularizer | None,
        start: Floats,
        *,
        seed: int,
        constraints: Constraints | None = None,
        threads: int = 1,
    ) -> Fitted:
        """The order of sentences in each pass depends on the seed and the number of the pass."""
        if constraints is not None:
            self.check_limits(regularizer, limits_for(objective, constraints, start))
        descent = _Descent(objective, regularizer, seed, threads)
        best = Fitted(weights := checked_start(objective, start), descent.value(weights))
        rate = 1.0
        for number in range(self.restarts + 1):
            rate, best = self._descend(descent, rate, best)
            descent.shuffle(number + 1)
        details = {"passes": float(descent.passes), "rate": rate}
        return Fitted(best.weights, best.value, details)

    def _descend(self, descent: _Descent, rate: float, best: Fitted) -> tuple[float, Fitted]:
        """From the best weights so far until passes do not improve; the rate that was chosen, the best weights."""
        rate, at, steps = descent.choose_rate(best.weights, rate)
        passes = 1
        while True:
            improved = best.value - at.value
            if improved > 0:
                best = at
            if not improved > self.tol * abs(best.value) or passes == self.passes:
                return rate, best
            at, steps = descent.run(at.weights, rate, steps, passes)
            passes += 1


class _Descent:
    """Passes over one objective with its penalty; counts them."""

    def __init__(self, objective: Any, regularizer: Any, seed: int, threads: int) -> None:
        self.objective, self.regularizer, self.seed, self.threads = objective, regularizer, seed, threads
        self.l2 = 0.0 if regularizer is None else float(regularizer.curvature)
        self.passes, self.turn = 0, 0

    def shuffle(self, turn: int) -> None:
        """Other orders from now on."""
        self.turn = turn

    def value(self, w: Floats) -> float:
        """Risk and penalty."""
        penalty = 0.0 if self.regularizer is None else self.regularizer.value(w)
        return float(self.objective.value(w, threads=self.threads)) + penalty

    def run(self, weights: Floats, rate: float, steps: int, number: int) -> tuple[Fitted, int]:
        """One pass from these weights, which stay as they are."""
        w = weights.copy()
        order = _core.shuffled(self.objective.sentences, self.seed, 1000 * self.turn + number)
        steps = self.objective.descend(w, order, rate, self.l2, steps)
        self.passes += 1
        return Fitted(w, self.value(w)), steps

    def choose_rate(self, weights: Floats, begin: float) -> tuple[float, Fitted, int]:
        """The first rate from `begin` on by factors of 2 whose neighbours end higher; its pass, the steps."""
        best, steps = self.run(weights, begin, 0, 0)
        rate = begin
        for factor in (2.0, 0.5):
            for _ in range(_TRIES):
                found, steps = self.run(weights, rate * factor, 0, 0)
                if not found.value < best.value:
                    break
                rate, best = rate * factor, found
            if rate != begin:
                break
        return rate, best, steps
