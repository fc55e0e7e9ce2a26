"""Exact line search from many starting points (MERT)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from tunesmith.errors import ConfigError
from tunesmith.tuning.constraints import Constraints, Limits
from tunesmith.tuning.losses.corpus_error import best_step
from tunesmith.tuning.optimizers.base import (
    Fitted,
    Floats,
    checked_start,
    limits_for,
    optimizers,
    refuse_penalties,
)
from tunesmith.tuning.regularizers.base import Regularizer


@optimizers.register("line_search")
@dataclass(frozen=True)
class LineSearch:
    """Och's (2003) line search: from each point along every direction, the best step of all is made.

    The given weights and `restarts` random points are climbed along the coordinates; the best `polished` of them once
    more with random directions besides. The error does not depend on the length of a weight vector: results have
    absolute values that sum to 1, unless constraints say otherwise.

    restarts: random starting points, with the signs of the start weights.
    directions: random directions of each round of polishing.   polished: points that are polished.
    patience: rounds of random directions without success after which polishing ends.
    coordinates: at most so many features are searched one by one, those in most candidates first; with more
        features than this a line search is the wrong tool.
    min_improvement: a step must improve the metric by more than this.
    min_width: intervals narrower than this are passed over; rounding would decide who wins there.
    """

    needs: ClassVar[frozenset[str]] = frozenset({"envelope"})
    regularizer_needs: ClassVar[frozenset[str] | None] = None

    restarts: int = 20
    directions: int = 20
    polished: int = 3
    patience: int = 2
    coordinates: int = 100
    min_improvement: float = 1e-3
    min_width: float = 1e-6

    def __post_init__(self) -> None:
        for name in ("restarts", "directions", "polished", "patience"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} = {getattr(self, name)}: a number of at least 0 was expected")
        if self.coordinates < 1:
            raise ConfigError(f"coordinates = {self.coordinates}: at least 1 was expected")
        if not 0 <= self.min_improvement < math.inf or not 0 <= self.min_width < math.inf:
            raise ConfigError("min_improvement and min_width must be numbers of at least 0")

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
        """Starting points and directions are drawn from `seed`."""
        refuse_penalties(self, constraints)
        weights = checked_start(objective, start)
        limits = limits_for(objective, constraints, weights)
        random = np.random.default_rng(seed)
        climber = _Climber(objective, limits, self, threads)
        points = [climber.climb(limits.clip(weights))]
        points += [climber.climb(limits.clip(other)) for other in self._starts(weights, random)]
        points.sort(key=lambda point: point[1])
        for index, (point, _) in enumerate(points[: self.polished]):
            points[index] = climber.polish(point, random)
        best, error = min(points, key=lambda point: point[1])
        return Fitted(best, error, {"lines": float(climber.searched), "points": float(len(points))})

    def _starts(self, weights: Floats, random: np.random.Generator) -> list[Floats]:
        signs = np.where(weights < 0, -1.0, 1.0)
        return [signs * random.random(len(weights)) for _ in range(self.restarts)]


class _Climber:
    """Line searches over one objective, along coordinates that are prepared once."""

    def __init__(self, objective: Any, limits: Limits, settings: LineSearch, threads: int) -> None:
        self.objective, self.limits, self.settings, self.threads = objective, limits, settings, threads
        self.free = np.flatnonzero(~limits.fixed)
        if not self.free.size:
            raise ConfigError("every feature is fixed: there is nothing to tune")
        self.searched = 0
        chosen = most_used(objective, self.free, settings.coordinates)
        unit = np.zeros((len(chosen), objective.columns))
        unit[np.arange(len(chosen)), chosen] = 1.0
        self.lines = Lines.of(objective, unit, threads)

    def climb(self, point: Floats, error: float | None = None) -> tuple[Floats, float]:
        """Best steps along coordinates until none improves."""
        point = self.scaled(point)
        error = self.error(point) if error is None else error
        while True:
            point, before = self.best_move(point, error, [self.lines])
            if before >= error:
                return point, error
            error = before

    def polish(self, point: Floats, random: np.random.Generator) -> tuple[Floats, float]:
        """Likewise, with random directions besides; they are drawn anew for every step."""
        error, failures = self.error(point), 0
        spread = np.maximum(np.abs(point), np.abs(point).mean())
        while failures < self.settings.patience and self.settings.directions:
            drawn = np.zeros((self.settings.directions, len(point)))
            drawn[:, self.free] = random.normal(size=(len(drawn), len(self.free))) * spread[self.free]
            several = Lines.of(self.objective, drawn, self.threads)
            point, new = self.best_move(point, error, [self.lines, several])
            failures = 0 if new < error else failures + 1
            error = new
        return point, error

    def best_move(self, point: Floats, error: float, lines: list[Lines]) -> tuple[Floats, float]:
        """The best single step, if it improves: what is promised is measured before it is believed."""
        found = [each.search(self.objective, point, self.limits, self.settings, self.threads) for each in lines]
        directions = np.concatenate([each.directions for each in lines])
        steps = np.concatenate([steps for steps, _ in found])
        errors = np.concatenate([errors for _, errors in found])
        self.searched += len(steps)
        for best in np.argsort(errors, kind="stable")[:3]:
            if not errors[best] < error - self.settings.min_improvement:
                break
            new = self.scaled(self.limits.clip(point + steps[best] * directions[best]))
            new_error = self.error(new)
            if new_error < error - self.settings.min_improvement / 2:
                return new, new_error
        return point, error

    def error(self, point: Floats) -> float:
        return float(self.objective.value(point, threads=self.threads))

    def scaled(self, point: Floats) -> Floats:
        """The same weights at the usual length; weights with limits are left as they are."""
        total = float(np.abs(point).sum())
        return point if self.limits.bounded or total == 0 else point / total


@dataclass(frozen=True, eq=False)
class Lines:
    """Directions, prepared where the objective can do that."""

    directions: Floats
    prepared: Any

    @classmethod
    def of(cls, objective: Any, directions: Floats, threads: int) -> Lines:
        """Prepared once for many starting points."""
        can = hasattr(objective, "search_lines")
        return cls(directions, objective.lines(directions, threads=threads) if can else None)

    def search(
        self, objective: Any, point: Floats, limits: Limits, settings: LineSearch, threads: int
    ) -> tuple[Floats, Floats]:
        """The best step along each direction and its error."""
        low, high = step_limits(point, self.directions, limits)
        if self.prepared is not None:
            steps, errors = objective.search_lines(
                point, self.prepared, low, high, settings.min_width, threads=threads
            )
            return steps, errors
        found = [
            best_step(*objective.envelope(point, direction, threads=threads), *bounds, settings.min_width)
            for direction, *bounds in zip(self.directions, low, high, strict=True)
        ]
        return np.array([step for step, _ in found]), np.array([error for _, error in found])


def step_limits(point: Floats, directions: Floats, limits: Limits) -> tuple[Floats, Floats]:
    """How far one may go along each direction, backwards and forwards, without leaving the limits."""
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


def most_used(objective: Any, free: Any, limit: int) -> Any:
    """At most `limit` of the free features, those with the largest sum of absolute values over all candidates."""
    if len(free) <= limit:
        return free
    candidates = getattr(objective, "candidates", None)
    if candidates is None:
        return free[:limit]
    used = np.zeros(objective.columns)
    block = 100_000
    for begin in range(0, len(candidates), block):
        rows = candidates.rows(np.arange(begin, min(begin + block, len(candidates))))
        used += np.bincount(rows.indices, minlength=objective.columns)
    return np.sort(free[np.argsort(-used[free], kind="stable")[:limit]])
