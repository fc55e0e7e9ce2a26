"""Stochastic gradient descent on sentences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tunesmith import _core
from tunesmith.checks import at_least, finite
from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.objectives import Descending
from tunesmith.tuning.optimizers.base import BatchOptimizer, Floats, OptimizerState, Problem, optimizers
from tunesmith.tuning.regularizers.base import Penalty, Quadratic

_TRIES = 40  # factors of 2: enough for any rate that a double can tell apart from 0 in a useful way


@optimizers.register("stochastic_gradient")
@dataclass(frozen=True)
class StochasticGradient(BatchOptimizer[Descending, Quadratic]):
    """Steps on single sentences in random order, as Cherry and Foster (2012, section 4) minimise risk.

    Rates are η0 / (1 + η0 · λ · t) with λ the strength of the L2 penalty (Bottou 2010). η0 is doubled or halved
    as long as the value after one pass gets smaller, first from 1, then from the η0 before. When passes do not
    improve any more, the sentences are shuffled again, η0 is chosen again and t begins at 1, from the best weights
    so far.

    restarts: how often that is done after the first descent.
    passes: the most passes of each descent.
    tol: a descent ends when a pass improves the value by less than this share of it.
    """

    objective: ClassVar[type] = Descending
    penalties: ClassVar[tuple[type, ...]] = (Quadratic,)

    restarts: int = 5
    passes: int = 50
    tol: float = 1e-4

    def __post_init__(self) -> None:
        at_least(0, restarts=self.restarts, tol=self.tol)
        at_least(1, passes=self.passes)
        finite(tol=self.tol)

    def check(self, loss: Loss[Any, Any] | None, penalty: Penalty | None, limits: Limits | None) -> None:
        """Refuse constraints."""
        if limits is not None and (limits.bounded or np.any(limits.factors != 1)):
            raise ConfigError("StochasticGradient keeps no constraints; Lbfgs does (risk without --plain)")

    def solve(self, problem: Problem[Descending, Quadratic], start: Floats) -> OptimizerState:
        """Return the order of sentences in each pass depends on the seed and the number of the pass."""
        descent = _Descent(problem)
        best = OptimizerState(start, descent.value(start))
        rate = 1.0
        for number in range(self.restarts + 1):
            rate, best = self._descend(descent, rate, best)
            descent.turn = number + 1
        details = {"passes": float(descent.passes), "rate": rate}
        return OptimizerState(best.weights, best.value, details=details)

    def _descend(self, descent: _Descent, rate: float, best: OptimizerState) -> tuple[float, OptimizerState]:
        """Descend from the best weights until passes do not improve; return the chosen rate, the best weights."""
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
    """Passes over one objective with its penalty.   turn: another one gives other orders of the sentences."""

    def __init__(self, problem: Problem[Descending, Quadratic]) -> None:
        self.objective, self.penalty = problem.objective, problem.penalty
        self.seed, self.threads = problem.seed, problem.threads
        self.l2 = 0.0 if problem.penalty is None else float(problem.penalty.curvature)
        self.passes, self.turn = 0, 0

    def value(self, w: Floats) -> float:
        penalty = 0.0 if self.penalty is None else self.penalty.value(w)
        return float(self.objective.value(w, threads=self.threads)) + penalty

    def run(self, weights: Floats, rate: float, steps: int, number: int) -> tuple[OptimizerState, int]:
        """Return one pass from these weights, which stay as they are."""
        w = weights.copy()
        order = _core.shuffled(self.objective.sentences, self.seed, 1000 * self.turn + number)
        steps = self.objective.descend(w, order, rate, self.l2, steps)
        self.passes += 1
        return OptimizerState(w, self.value(w)), steps

    def choose_rate(self, weights: Floats, begin: float) -> tuple[float, OptimizerState, int]:
        """Choose the first rate from `begin` on, by factors of 2, whose neighbours end higher."""
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
