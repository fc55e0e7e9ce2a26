"""The metric itself (MERT)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.metrics.base import Metric
from tunesmith.tuning.losses.base import Loss, losses
from tunesmith.tuning.objectives import Floats, SearchLines
from tunesmith.tuning.pools.base import Envelopes, ListEnvelopes
from tunesmith.tuning.pools.gains import statistics_of
from tunesmith.tuning.pools.graphs import GraphPool
from tunesmith.tuning.pools.visited import Visited

MOST_COLUMNS = 100  # columns of the feature matrix kept for the search along coordinates


class ErrorOfPool:
    """The objective of `CorpusError`. Errors are scores with the sign that makes smaller values better."""

    def __init__(self, pool: Envelopes, metric: Metric) -> None:
        self.pool, self.metric, self.columns = pool, metric, pool.columns
        self._sign = -1.0 if metric.higher_is_better else 1.0

    def value(self, w: Floats, *, threads: int = 1) -> float:
        return self.pool.best(w, threads=threads).error(self.metric)

    def envelope(self, w: Floats, direction: Floats, *, threads: int = 1) -> tuple[Floats, Floats]:
        breakpoints, totals = self.pool.envelope(w, direction, threads=threads)
        return breakpoints, self._sign * self.metric.score(totals)


class ErrorOfLists(ErrorOfPool):
    """The objective of lists, which are searched along many lines at once."""

    def __init__(self, pool: ListEnvelopes, metric: Metric) -> None:
        super().__init__(pool, metric)
        statistics_of(pool.candidates, metric)
        self.candidates, self._distinct = pool.candidates, pool.distinct
        self._columns: dict[int, Floats] = {}  # of features already searched
        self._last: tuple[Floats, Floats] | None = None  # weights and scores of the last search

    def lines(self, directions: Floats, *, threads: int = 1) -> SearchLines:
        return SearchLines(directions, self._slopes(directions, threads))

    def deviations(self, lines: SearchLines) -> Floats:
        assert lines.slopes is not None
        found: Floats = lines.slopes.std(axis=1)
        return found

    def _slopes(self, directions: Floats, threads: int) -> Floats:
        slopes = np.empty((len(directions), len(self.candidates)))
        moving = [np.flatnonzero(direction) for direction in directions]
        for each in moving:
            if len(each) == 1 and len(self._columns) < MOST_COLUMNS and each[0] not in self._columns:
                unit = np.zeros(self.columns)
                unit[each] = 1.0
                self._columns[int(each[0])] = self.candidates.scores(unit, threads=threads)
        if all(0 < len(each) <= 3 and all(column in self._columns for column in each) for each in moving):
            used = np.unique(np.concatenate([*moving, np.empty(0, dtype=np.int64)]))
            weights = np.ascontiguousarray(directions[:, used])
            _core.combine_columns([self._columns[int(column)] for column in used], weights, slopes, threads)
            return slopes
        for row, direction in zip(slopes, directions, strict=True):
            row[:] = self.candidates.scores(direction, threads=threads)
        return slopes

    def _scores(self, w: Floats, threads: int) -> Floats:
        """Compute X·w, cached: one point is searched along many lines."""
        if self._last is None or not np.array_equal(self._last[0], w):
            self._last = (w.copy(), self.candidates.scores(w, threads=threads))
        return self._last[1]

    def search_lines(
        self, w: Floats, lines: SearchLines, low: Floats, high: Floats, min_width: float, *, threads: int = 1
    ) -> tuple[Floats, Floats]:
        assert lines.slopes is not None
        scores, slopes = self._scores(w, threads), lines.slopes
        smoothing = self.metric.bleu_smoothing
        if smoothing is not None:
            steps, bleu = self._distinct.best_bleu_on_lines(
                scores,
                slopes,
                low,
                high,
                min_width,
                smoothing.native,
                smoothing.value,
                threads,
            )
            return steps, -self.metric.scale * bleu
        envelopes = (self._distinct.envelope(scores, line) for line in slopes)
        errors = ((breakpoints, self._sign * self.metric.score(totals)) for breakpoints, totals in envelopes)
        return best_steps(errors, low, high, min_width)

    def most_used(self, columns: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
        used = np.zeros(self.columns)
        block = 100_000
        for begin in range(0, len(self.candidates), block):
            rows = self.candidates.rows(np.arange(begin, min(begin + block, len(self.candidates))))
            used += np.bincount(rows.indices, minlength=self.columns)
        return np.sort(columns[np.argsort(-used[columns], kind="stable")[:limit]])


class ErrorOfGraphs(ErrorOfPool):
    """The objective of search graphs. Derivations on lines along which a step was made are remembered."""

    def __init__(self, pool: GraphPool, metric: Metric) -> None:
        super().__init__(pool, metric)
        self.graphs = self._whole = pool
        pool.followed.forget_visited()
        self._last: tuple[Floats, Floats, Floats, Floats] | None = None  # the last search

    def begin(self, w: Floats) -> None:
        """Remove derivations kept from earlier rounds that the search under these weights does not choose."""
        self.pool = self.graphs = self._whole.reached(w)
        self.graphs.followed.forget_visited()
        self._last = None

    def lines(self, directions: Floats, *, threads: int = 1) -> SearchLines:
        return SearchLines(np.ascontiguousarray(directions))

    def deviations(self, lines: SearchLines) -> Floats:
        return np.array([self.graphs.slopes(each).std() for each in lines.directions])

    def search_lines(
        self, w: Floats, lines: SearchLines, low: Floats, high: Floats, min_width: float, *, threads: int = 1
    ) -> tuple[Floats, Floats]:
        self._follow(w, lines.directions, low, high, threads)
        found, smoothing = self.graphs.followed, self.metric.bleu_smoothing
        if smoothing is not None:
            steps, bleu = found.best_bleu_on_lines(
                low, high, min_width, smoothing.native, smoothing.value, threads
            )
            return steps, -self.metric.scale * bleu
        envelopes = (found.envelope(line) for line in range(len(low)))
        errors = ((breakpoints, self._sign * self.metric.score(totals)) for breakpoints, totals in envelopes)
        return best_steps(errors, low, high, min_width)

    def most_used(self, columns: NDArray[np.int64], limit: int) -> NDArray[np.int64]:
        used = self.graphs.edges_with_features()
        return np.sort(columns[np.argsort(-used[columns], kind="stable")[:limit]])

    def step_made(self, w: Floats, direction: Floats, low: float, high: float) -> None:
        """Record a step on a line that was searched last, or is followed now."""
        if self._last is not None and np.array_equal(self._last[0], w):
            _, directions, lows, highs = self._last
            for line, each in enumerate(directions):
                if lows[line] == low and highs[line] == high and np.array_equal(each, direction):
                    return self.graphs.followed.visit(line)
        self._follow(w, np.array([direction]), np.array([low]), np.array([high]), 1)
        return self.graphs.followed.visit(0)

    def _follow(self, w: Floats, directions: Floats, low: Floats, high: Floats, threads: int) -> None:
        self.graphs.follow(w, directions, low, high, threads=threads)
        self._last = (w.copy(), directions, low, high)

    def visited(self) -> Floats:
        """Return visited derivations, except those already kept."""
        sentences, offsets, edges = self.graphs.followed.visited()
        whole, visits = self._whole, Visited()
        own = {int(at): whole.graphs[at].edges - int(whole.kept[at]) for at in np.unique(sentences)}
        for number, at in enumerate(sentences.tolist()):
            each = edges[int(offsets[number]) : int(offsets[number + 1])]
            if each[0] < own[at]:
                visits.add([(at, each)])
        return visits.to_array()


@losses.register("corpus_error")
@dataclass(frozen=True)
class CorpusError(Loss[Envelopes, ErrorOfPool]):
    """The corpus score of the candidates that win their lists (Och 2003), for any metric of summed statistics.

    Piecewise constant: without gradient, but the best step along a line can be computed exactly.
    """

    pool: ClassVar[type] = Envelopes
    objective: ClassVar[type] = ErrorOfPool

    def prepare(self, pool: Envelopes, metric: Metric, seed: int) -> ErrorOfPool:
        if isinstance(pool, ListEnvelopes):
            return ErrorOfLists(pool, metric)
        return ErrorOfGraphs(pool, metric) if isinstance(pool, GraphPool) else ErrorOfPool(pool, metric)


def best_steps(
    envelopes: Iterable[tuple[Floats, Floats]], low: Floats, high: Floats, min_width: float
) -> tuple[Floats, Floats]:
    """Compute `best_step` of many lines."""
    lines = zip(envelopes, low, high, strict=True)
    found = [best_step(*envelope, begin, end, min_width) for envelope, begin, end in lines]
    return np.array([step for step, _ in found]), np.array([error for _, error in found])


def best_step(
    breakpoints: Floats, errors: Floats, low: float, high: float, min_width: float
) -> tuple[float, float]:
    """Return the middle of the first interval of smallest error inside the limits, and that error.

    Intervals narrower than `min_width` are skipped; if none is wide enough, the step is 0 and the error infinite.
    """
    begins = np.maximum(np.concatenate([[-np.inf], breakpoints]), low)
    ends = np.minimum(np.concatenate([breakpoints, [np.inf]]), high)
    wide = ends - begins > min_width
    if not wide.any():
        return 0.0, np.inf
    best = int(np.argmin(np.where(wide, errors, np.inf)))
    begin, end = float(begins[best]), float(ends[best])
    if np.isinf(begin) and np.isinf(end):
        return 0.0, float(errors[best])
    if np.isinf(begin):
        return end - max(0.1, 0.1 * abs(end)), float(errors[best])
    if np.isinf(end):
        return begin + max(0.1, 0.1 * abs(begin)), float(errors[best])
    return begin + (end - begin) / 2, float(errors[best])
