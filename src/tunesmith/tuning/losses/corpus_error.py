"""The metric itself (MERT)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunesmith import _core
from tunesmith.metrics.base import Metric
from tunesmith.metrics.bleu import SMOOTHING, Bleu
from tunesmith.search.candidates import CandidateSet
from tunesmith.tuning.losses.base import Floats, losses, statistics_of


@losses.register("corpus_error")
@dataclass(frozen=True)
class CorpusError:
    """The corpus score of the candidates that win their lists (Och 2003), for any metric of summed statistics.

    Piecewise constant: no gradient, but along a line the best step can be found exactly.
    """

    offers: ClassVar[frozenset[str]] = frozenset({"envelope"})

    def prepare(self, candidates: CandidateSet, metric: Metric, seed: int) -> ErrorOfLists:
        """Nothing is random here."""
        return ErrorOfLists(candidates, metric)


class Lines:
    """Directions from one point, with the change of every candidate's score along each."""

    def __init__(self, candidates: CandidateSet, directions: Floats, threads: int) -> None:
        self.directions = directions
        self.slopes = np.empty((len(directions), len(candidates)))
        for slopes, direction in zip(self.slopes, directions, strict=True):
            slopes[:] = candidates.scores(direction, threads=threads)


class ErrorOfLists:
    """The objective of `CorpusError`. Errors are scores with the sign that makes smaller ones better."""

    def __init__(self, candidates: CandidateSet, metric: Metric) -> None:
        self.candidates, self.metric = candidates, metric
        self.features, self.columns = candidates.features, candidates.columns
        self._statistics = statistics_of(candidates, metric)
        self._distinct = _core.DistinctStatistics(candidates.offsets, self._statistics)
        self._sign = -1.0 if metric.higher_is_better else 1.0

    def value(self, w: Floats, *, threads: int = 1) -> float:
        """The error of the candidates these weights choose."""
        chosen = _core.best_candidates(self.candidates.native, w, threads)
        totals = self._statistics[chosen[chosen >= 0]].sum(axis=0, dtype=np.float64)
        return self._sign * float(self.metric.score(totals))

    def envelope(self, w: Floats, direction: Floats, *, threads: int = 1) -> tuple[Floats, Floats]:
        """Steps along `direction` at which the error changes, ascending, and the errors between them (one more)."""
        scores = self.candidates.scores(w, threads=threads)
        slopes = self.candidates.scores(direction, threads=threads)
        breakpoints, totals = self._distinct.envelope(scores, slopes)
        return breakpoints, self._sign * self.metric.score(totals)

    def lines(self, directions: Floats, *, threads: int = 1) -> Lines:
        """Directions made ready for `search_lines`, once for many starting points."""
        return Lines(self.candidates, directions, threads)

    def search_lines(
        self, w: Floats, lines: Lines, low: Floats, high: Floats, min_width: float, *, threads: int = 1
    ) -> tuple[Floats, Floats]:
        """For each line the step of smallest error between low and high, and that error: exact, whatever the metric."""
        scores = self.candidates.scores(w, threads=threads)
        if isinstance(self.metric, Bleu):
            steps, bleu = self._distinct.best_bleu_on_lines(
                scores,
                lines.slopes,
                low,
                high,
                min_width,
                getattr(_core.Smoothing, self.metric.smoothing),
                smoothing_value(self.metric),
                threads,
            )
            return steps, -100.0 * bleu
        found = [
            best_step(*self._envelope(scores, slopes), *limits, min_width)
            for slopes, *limits in zip(lines.slopes, low, high, strict=True)
        ]
        return np.array([step for step, _ in found]), np.array([error for _, error in found])

    def _envelope(self, scores: Floats, slopes: Floats) -> tuple[Floats, Floats]:
        breakpoints, totals = self._distinct.envelope(scores, slopes)
        return breakpoints, self._sign * self.metric.score(totals)


def smoothing_value(metric: Bleu) -> float:
    """The number that goes with the metric's smoothing, 0 where none does."""
    return SMOOTHING[metric.smoothing] or 0.0 if metric.smoothing_value is None else metric.smoothing_value


def best_step(
    breakpoints: Floats, errors: Floats, low: float, high: float, min_width: float
) -> tuple[float, float]:
    """The middle of the interval of smallest error (the first of equals) inside the limits, and that error.

    Intervals narrower than `min_width` are passed over; where none is wide enough the step is 0 and the error infinite.
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
