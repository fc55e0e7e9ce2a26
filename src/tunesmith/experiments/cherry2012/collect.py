"""Collection of table figures from completed stages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tunesmith.experiments.cherry2012.results import Compared, CurvePoint, Pair, TunerResult, holm, with_correction
from tunesmith.experiments.cherry2012.rows import BASELINE, PAIRS, TunerRow
from tunesmith.experiments.repetitions import Judged, judged, mean
from tunesmith.experiments.stages import Place, Stage
from tunesmith.experiments.tuning_work import read_statistics
from tunesmith.experiments.variations import Variation
from tunesmith.metrics import Metric
from tunesmith.metrics.base import Floats

SETS = ("devtest", "test")
Statistics = Mapping[str, Mapping[str, Floats]]
"""Statistics of the metric, by data set and run."""


@dataclass(frozen=True)
class Trial:
    """One tuning, with scores of its weights on devtest and test."""

    row: TunerRow
    settings: tuple[str, ...]
    variation: Variation
    tuned: Stage
    scored: Stage


class Collector:
    """Reader of the results of stages; caches significance tests, since tables are written repeatedly."""

    def __init__(self, metric: Metric, kind: str) -> None:
        self._metric, self._kind = metric, kind
        self._judged: dict[tuple[str, ...], Judged] = {}

    def results(
        self, place: Place, done: Mapping[str, Sequence[Trial]]
    ) -> tuple[list[TunerResult], list[Pair], str | None]:
        """Return results of rows of the table, of pairs, and the name of the best row on devtest."""
        statistics = {name: _statistics(place, trials) for name, trials in done.items()}
        devtest = {
            name: mean([place.result(trial.scored)["devtest"] for trial in trials])
            for name, trials in done.items()
        }
        base = max(devtest, key=lambda name: devtest[name], default=None)
        results = [
            self._result(place, trials, statistics, base, BASELINE[self._kind].get(trials[0].row.features))
            for trials in done.values()
        ]
        return with_correction(results), self._pairs(results, statistics), base

    def _result(
        self,
        place: Place,
        trials: Sequence[Trial],
        statistics: Mapping[str, Statistics],
        base: str | None,
        baseline: str | None,
    ) -> TunerResult:
        row, tuned = trials[0].row, [place.result(trial.tuned) for trial in trials]
        against = None if base == row.name else base
        scores = {each: self._judge(statistics, row.name, against, each) for each in SETS}
        compared = None
        if baseline in statistics and baseline != row.name:
            compared = self._compared(statistics, row.name, str(baseline))
        return TunerResult(
            row,
            tuple(trial.variation.name for trial in trials),
            tuple(each["tune"] for each in tuned),
            scores["devtest"],
            scores["test"],
            active=mean([each["active"] for each in tuned]),
            minutes=mean([each["minutes"] for each in tuned]),
            signature=tuned[0]["signature"],
            rounds=mean([each["rounds"] for each in tuned]),
            best_round=mean([each["best_round"] for each in tuned]),
            templates=tuned[0]["templates"],
            baseline=compared,
        )

    def _pairs(self, results: Sequence[TunerResult], statistics: Mapping[str, Statistics]) -> list[Pair]:
        found = {(each.row.tuner, each.row.features): each for each in results}
        pairs = [
            Pair(lattice, lists, self._compared(statistics, lattice.row.name, lists.row.name))
            for one, other in PAIRS
            for (tuner, features), lattice in found.items()
            if tuner == one and (lists := found.get((other, features))) is not None
        ]
        compared = holm([each.compared for each in pairs])
        return [replace(pair, compared=each) for pair, each in zip(pairs, compared, strict=True)]

    def _compared(self, statistics: Mapping[str, Statistics], name: str, base: str) -> Compared:
        difference = self._judge(statistics, name, base, *SETS).difference
        assert difference is not None
        own, other = (
            mean([mean([self._score(of_set[run]) for of_set in statistics[each].values()])
                  for run in statistics[each][SETS[0]]])
            for each in (name, base)
        )  # fmt: skip
        return Compared.of(base, replace(difference, score=own - other))

    def _score(self, rows: Floats) -> float:
        return float(self._metric.score(rows.sum(axis=0)))

    def _judge(self, statistics: Mapping[str, Statistics], name: str, base: str | None, *sets: str) -> Judged:
        """Compare a row with another row, on one data set or on several joined."""
        rows = [statistics[name]] if base is None else [statistics[name], statistics[base]]
        runs = [",".join(each[sets[0]]) for each in rows]
        key = (name, base or "", *sets, *runs)
        if key not in self._judged:
            self._judged[key] = judged(self._metric, *(_together(each, sets) for each in rows))
        return self._judged[key]


def _together(statistics: Statistics, sets: Sequence[str]) -> dict[str, Floats]:
    return {run: np.concatenate([statistics[each][run] for each in sets]) for run in statistics[sets[0]]}


def _statistics(place: Place, trials: Sequence[Trial]) -> Statistics:
    return {
        name: {trial.variation.name: read_statistics(place.of(trial.scored), name) for trial in trials}
        for name in SETS
    }


def curve(place: Place, trials: Sequence[Trial]) -> list[CurvePoint]:
    """Return points of a row of the figure."""
    return [
        CurvePoint(trial.row, trial.settings[-1].partition("=")[2],
                   {"tune": place.result(trial.tuned)["tune"], **_scores(place.result(trial.scored))})
        for trial in trials
    ]  # fmt: skip


def _scores(result: Mapping[str, Any]) -> dict[str, float]:
    return {name: result[name] for name in SETS}
