"""Exact line search from many starting points (MERT)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunesmith.checks import above, at_least, finite
from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.losses.corpus_error import best_steps
from tunesmith.tuning.objectives import Enveloped, LineSearched, SearchLines, Visiting
from tunesmith.tuning.optimizers.base import (
    VISITED,
    BatchOptimizer,
    Floats,
    OptimizerState,
    Problem,
    optimizers,
)
from tunesmith.tuning.regularizers.base import Penalty


@optimizers.register("line_search")
@dataclass(frozen=True)
class LineSearch(BatchOptimizer[Enveloped, Penalty]):
    """Och's (2003) line search along coordinates and random directions, from many starting points.

    The given weights are climbed first, then a few random points, then points near the best one so far. A climb
    goes through all directions in batches; from each point the best step of a batch is made if it improves, until
    a whole round of directions does not. The error does not depend on the length of a weight vector: results have
    absolute values that sum to 1, unless constraints say otherwise.

    restarts: starting points besides the given one.
    explore: how many of them are random, with the signs of the start weights; the others are near the best so far.
    spread: how near: the standard deviation of the logarithm of each weight.
    directions: random directions of each round, in addition to the coordinates.
    batch: directions that are searched from one point before a step is made; they can run on several threads.
    reach: how far a step may go, as a multiple of the sum of the absolute values of the weights.
    coordinates: the most features that are searched one by one, features of most candidates first; with more
        features than this a line search is the wrong tool.
    min_improvement: a step must improve the metric by more than this.
    min_width: intervals narrower than this are passed over; rounding would decide who wins there.
    """

    objective: ClassVar[type] = Enveloped

    restarts: int = 20
    explore: int = 5
    spread: float = 0.3
    directions: int = 20
    batch: int = 4
    reach: float = 0.2
    coordinates: int = 100
    min_improvement: float = 1e-3
    min_width: float = 1e-6

    def __post_init__(self) -> None:
        at_least(0, restarts=self.restarts, explore=self.explore, directions=self.directions)
        at_least(0, spread=self.spread, min_improvement=self.min_improvement, min_width=self.min_width)
        finite(restarts=self.restarts, explore=self.explore, directions=self.directions)
        finite(spread=self.spread, min_improvement=self.min_improvement, min_width=self.min_width)
        above(0, reach=self.reach)
        at_least(1, batch=self.batch, coordinates=self.coordinates)

    def solve(self, problem: Problem[Enveloped, Penalty], start: Floats) -> OptimizerState:
        """Solve; starting points and directions are drawn from `seed`."""
        limits, random = problem.limits, np.random.default_rng(problem.seed)
        if isinstance(problem.objective, Visiting):
            problem.objective.begin(start)
        climber = _Climber(problem, self, random)
        best, error = climber.climb(limits.clip(start))
        for number in range(self.restarts):
            if number < self.explore:
                other = np.where(start < 0, -1.0, 1.0) * random.random(len(start))
            else:
                other = best * np.exp(self.spread * random.normal(size=len(start)))
            point, found = climber.climb(limits.clip(other))
            if found < error:
                best, error = point, found
        details = {"lines": float(climber.searched), "steps": float(climber.steps)}
        visited = {} if climber.visits is None else {VISITED: climber.visits.visited()}
        return OptimizerState(best, error, details=details, arrays=visited)


class _Climber:
    """Line searches over one objective, along coordinates that are prepared once."""

    def __init__(
        self, problem: Problem[Enveloped, Penalty], settings: LineSearch, random: np.random.Generator
    ) -> None:
        self.objective, self.limits, self.threads = problem.objective, problem.limits, problem.threads
        self.settings, self.random, objective = settings, random, problem.objective
        free = np.flatnonzero(~self.limits.fixed)
        if not free.size:
            raise ConfigError("every feature is fixed: there is nothing to tune")
        self.searched = self.steps = 0
        self.fast = objective if isinstance(objective, LineSearched) else None  # asked once: it takes time
        self.visits = objective if isinstance(objective, Visiting) else None
        if self.fast is not None and len(free) > settings.coordinates:
            free = self.fast.most_used(free, settings.coordinates)
        self.chosen = chosen = free[: settings.coordinates]
        unit = np.zeros((len(chosen), objective.columns))
        unit[np.arange(len(chosen)), chosen] = 1.0
        self.coordinates = self.batches(unit)
        # Random directions change scores by about as much through every feature.
        self.scale = np.ones(objective.columns)
        deviations = np.zeros(len(chosen))
        if self.fast is not None:
            deviations = np.concatenate([self.fast.deviations(lines) for lines in self.coordinates])
        if deviations.max(initial=0.0) > 0:
            usual = float(np.median(deviations[deviations > 0]))
            self.scale[chosen] = np.minimum(usual / np.maximum(deviations, 1e-300), 10.0)

    def batches(self, directions: Floats) -> list[SearchLines]:
        """Return directions for which slopes are computed once for many starting points."""
        size, fast = self.settings.batch, self.fast
        some = [directions[begin : begin + size] for begin in range(0, len(directions), size)]
        if fast is None:
            return [SearchLines(each) for each in some]
        return [fast.lines(each, threads=self.threads) for each in some]

    def climb(self, point: Floats) -> tuple[Floats, float]:
        """Search all directions in rounds until a round does not improve."""
        point = self.scaled(point)
        error = before = self.error(point)
        while True:
            batches = [*self.coordinates, *self.batches(self.draw())]
            for number in self.random.permutation(len(batches)):
                point, error = self.best_move(point, error, batches[number])
            if not error < before - self.settings.min_improvement:
                return point, error
            before = error

    def draw(self) -> Floats:
        """Draw random directions of three of the searched features: cheap to follow, as good as dense ones."""
        drawn = np.zeros((self.settings.directions, self.objective.columns))
        for direction in drawn:
            some = self.random.choice(self.chosen, size=min(3, len(self.chosen)), replace=False)
            direction[some] = self.random.normal(size=len(some)) * self.scale[some]
        return drawn

    def best_move(self, point: Floats, error: float, lines: SearchLines) -> tuple[Floats, float]:
        """Return the best single step, if it improves; the error that the search gave is measured first."""
        low, high = self.ranges(point, lines)
        steps, errors = self.search(point, lines, low, high)
        self.searched += len(steps)
        best = int(np.argmin(errors))
        if not errors[best] < error - self.settings.min_improvement:
            return point, error
        new = self.scaled(self.limits.clip(point + steps[best] * lines.directions[best]))
        new_error = self.error(new)
        if not new_error < error:
            return point, error
        self.steps += 1
        if self.visits is not None:
            self.visits.step_made(point, lines.directions[best], float(low[best]), float(high[best]))
        return new, new_error

    def ranges(self, point: Floats, lines: SearchLines) -> tuple[Floats, Floats]:
        """Return how far a step may go along each direction."""
        low, high = step_limits(point, lines.directions, self.limits)
        if (total := float(np.abs(point).sum())) > 0:
            farthest = self.settings.reach * total / np.abs(lines.directions).sum(axis=1)
            low, high = np.maximum(low, -farthest), np.minimum(high, farthest)
        return low, high

    def search(self, point: Floats, lines: SearchLines, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Return the best step along each direction and its error."""
        width, threads = self.settings.min_width, self.threads
        if self.fast is not None:
            return self.fast.search_lines(point, lines, low, high, width, threads=threads)
        envelopes = (self.objective.envelope(point, each, threads=threads) for each in lines.directions)
        return best_steps(envelopes, low, high, width)

    def error(self, point: Floats) -> float:
        return float(self.objective.value(point, threads=self.threads))

    def scaled(self, point: Floats) -> Floats:
        """Scale weights so that their absolute values sum to 1, unless there are limits."""
        total = float(np.abs(point).sum())
        return point if self.limits.bounded or total == 0 else point / total


def step_limits(point: Floats, directions: Floats, limits: Limits) -> tuple[Floats, Floats]:
    """Return how far one may go along each direction, backwards and forwards, without leaving the limits."""
    low, high = np.full(len(directions), -np.inf), np.full(len(directions), np.inf)
    if not limits.bounded:
        return low, high
    for number, direction in enumerate(directions):
        moving = np.flatnonzero(direction)
        to_lower = (limits.lower[moving] - point[moving]) / direction[moving]
        to_upper = (limits.upper[moving] - point[moving]) / direction[moving]
        low[number] = np.minimum(to_lower, to_upper).max(initial=-np.inf)
        high[number] = np.maximum(to_lower, to_upper).min(initial=np.inf)
    return low, high
