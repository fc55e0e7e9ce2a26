"""Results of finished stages: scores with intervals, tests against the best baseline."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tunesmith.evaluation.bootstrap import Interval, confidence_interval, paired_bootstrap
from tunesmith.experiments.liu2013.graph import Graph, RowStages
from tunesmith.experiments.liu2013.row import Row
from tunesmith.experiments.repetitions import SAMPLES, deviation, mean
from tunesmith.experiments.stages import Place, is_done
from tunesmith.experiments.tuning_work import read_statistics
from tunesmith.metrics.base import Floats, Metric


@dataclass(frozen=True)
class SetScore:
    """BLEU on one set: the mean over repetitions, their standard deviation, the interval of the first of them.

    difference, p_value: against the best baseline (paired bootstrap, Koehn 2004); None for that one itself.
    """

    score: float
    deviation: float | None
    interval: Interval
    difference: float | None = None
    p_value: float | None = None

    def as_dict(self) -> dict[str, Any]:
        return {**vars(self), "interval": self.interval.as_dict()}


@dataclass(frozen=True)
class RowResult:
    """Results of a row."""

    row: Row
    active: float
    reused: float
    devtest: SetScore
    test: SetScore
    dev: float
    minutes: float
    settings: tuple[str, ...]
    tried: tuple[dict[str, Any], ...]
    details: dict[str, Any]
    signature: str

    def as_dict(self) -> dict[str, Any]:
        row, published = self.row, self.row.published
        return {
            **{name: getattr(row, name) for name in ("name", "part", "method", "data", "features")},
            "active": self.active,
            "reused": self.reused,
            "dev": self.dev,
            "devtest": self.devtest.as_dict(),
            "test": self.test.as_dict(),
            "minutes": round(self.minutes, 2),
            "settings": list(self.settings),
            "sweep": list(self.tried),
            "details": self.details,
            "published": None if published is None else vars(published),
            "signature": self.signature,
        }


def collect(root: Path, graph: Graph, rows: list[Row]) -> tuple[list[RowResult], str | None]:
    """Return the results of the rows that are done, and which row the others are compared with.

    That is the row of default features tuned on dev that is best on devtest: test takes no part in the choice.
    """
    place = Place(root, root)
    made = [graph.row(row.name) for row in rows]
    done = [each for each in made if all(is_done(root, stage) for stage in each.all)]
    metric = graph.laboratory.metric
    devtest = {each.row.name: mean([place.result(stage)["devtest"] for stage in each.scored]) for each in done}
    baselines = [each.row.name for each in done if each.row.features == "default" and each.row.data == "dev"]
    base = max(baselines, key=lambda name: devtest[name], default=None)
    base_rows = None
    for each in done:
        if each.row.name == base:
            base_rows = {name: _statistics(place, each, name)[0] for name in ("devtest", "test")}
    results = []
    for each in done:
        against = None if each.row.name == base else base_rows
        results.append(_result(place, each, metric, against))
    return results, base


def _result(place: Place, stages: RowStages, metric: Metric, base: dict[str, Floats] | None) -> RowResult:
    tuned = [place.result(stage) for stage in stages.tuned]
    counted = [place.result(stage) for stage in stages.counted]
    tried = () if stages.choice is None else tuple(place.result(stages.choice)["tried"])
    scores = {
        name: _score(metric, _statistics(place, stages, name), None if base is None else base[name])
        for name in ("devtest", "test")
    }
    return RowResult(
        row=stages.row,
        active=mean([each["active"] for each in counted]),
        reused=mean([each["reused"] for each in counted]),
        devtest=scores["devtest"],
        test=scores["test"],
        dev=mean([each["dev"] for each in tuned]),
        minutes=mean([each["minutes"] for each in tuned]),
        settings=tuple(tuned[0]["settings"]),
        tried=tried,
        details={**tuned[0]["details"], **counted[0]},
        signature=tuned[0]["signature"],
    )


def _statistics(place: Place, stages: RowStages, name: str) -> list[Floats]:
    return [read_statistics(place.of(stage), name) for stage in stages.scored]


def _score(metric: Metric, runs: list[Floats], base: Floats | None) -> SetScore:
    """Return the score of a set; with several repetitions, the p-value is the median of theirs."""
    scores = [float(metric.score(rows.sum(axis=0))) for rows in runs]
    interval = confidence_interval(metric, runs[0], SAMPLES)
    if base is None:
        return SetScore(mean(scores), deviation(scores), interval)
    before = float(metric.score(base.sum(axis=0)))
    p_values = [paired_bootstrap(metric, base, rows, SAMPLES).p_value for rows in runs]
    return SetScore(mean(scores), deviation(scores), interval, mean(scores) - before, float(np.median(p_values)))
