"""Results of rows: scores with intervals, tests against other rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tunesmith.evaluation.correction import corrected
from tunesmith.experiments.repetitions import Difference, Judged, judged
from tunesmith.experiments.watanabe2007.rows import BASELINE, Row
from tunesmith.metrics import Bleu, Metric
from tunesmith.metrics.base import Floats
from tunesmith.metrics.nist import Nist

ALPHA = 0.05
METRICS: Mapping[str, Metric] = {"NIST": Nist(lowercase=True), "BLEU": Bleu(lowercase=True)}
OPEN = {False: "devtest", True: "open"}
CLOSED = {False: "dev", True: "closed"}
"""Names of evaluation data of a row, by whether it is tuned on folds."""
Statistics = Mapping[str, Mapping[str, Floats]]
"""Statistics by data set and metric."""
_RUN = "full"


@dataclass(frozen=True)
class RowResult:
    """Results of a row.

    scores: by data set and metric.
    active: features with a weight, the mean over folds. rounds: epochs, or rounds of a batch tuner.
    p: of BLEU on the open data against the baseline, the larger one of both tests', corrected for the number of
        rows; None for the baseline.
    """

    row: Row
    scores: Mapping[str, Mapping[str, Judged]]
    active: float
    rounds: float
    minutes: float
    signature: str
    p: float | None = None

    @property
    def closed(self) -> Mapping[str, Judged]:
        return self.scores[CLOSED[self.row.folds]]

    @property
    def open(self) -> Mapping[str, Judged]:
        return self.scores[OPEN[self.row.folds]]

    def cells(self) -> list[str]:
        """Return cells of the table of all rows."""
        bleu = self.open["BLEU"]
        tests = ["–"] * 2
        if bleu.difference is not None and self.p is not None:
            tests = [f"{bleu.difference.score:+.2f}", f"{self.p:.3f}"]
            if self.p < ALPHA:
                tests = [f"**{each}**" for each in tests]
        return [
            self.row.name,
            self.row.label,
            self.row.search,
            f"{self.active:.0f}",
            f"{self.closed['NIST'].mean:.2f}",
            f"{self.closed['BLEU'].mean:.2f}",
            f"{self.open['NIST'].mean:.2f}",
            f"{bleu.mean:.2f}",
            f"{bleu.interval.half_width:.1f}",
            *tests,
            f"{self.rounds:.0f}",
            f"{self.minutes:.1f}",
        ]

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.row.name,
            "label": self.row.label,
            "tables": list(self.row.tables),
            "search": self.row.search,
            "features": self.row.features,
            "active": self.active,
            "rounds": self.rounds,
            "minutes": round(self.minutes, 2),
            "p": self.p,
            "scores": {name: {metric: each.as_dict() for metric, each in of_set.items()}
                       for name, of_set in self.scores.items()},
            "signature": self.signature,
        }  # fmt: skip


class Comparison:
    """Statistics of completed rows, with cached tests."""

    def __init__(self) -> None:
        self._judged: dict[tuple[str, ...], Judged] = {}
        self.statistics: dict[str, Statistics] = {}

    def judge(self, name: str, base: str | None, data: str, metric: str) -> Judged:
        """Return a row on a data set, against another one if that is done."""
        base = base if base in self.statistics else None
        key = (name, base or "", data, metric)
        if key not in self._judged:
            rows = self.statistics[name][data][metric]
            other = None if base is None else {_RUN: self.statistics[base][data][metric]}
            self._judged[key] = judged(METRICS[metric], {_RUN: rows}, other)
        return self._judged[key]

    def difference(self, name: str, base: str, data: str) -> Difference:
        """Return the difference of BLEU."""
        found = self.judge(name, base, data, "BLEU").difference
        assert found is not None
        return found

    def scores(self, row: Row) -> dict[str, dict[str, Judged]]:
        """Return all of a row, with tests against its baseline."""
        base = baseline_of(row)
        return {
            data: {metric: self.judge(row.name, base, data, metric) for metric in METRICS}
            for data in self.statistics[row.name]
        }


def baseline_of(row: Row) -> str | None:
    """Return the row that is compared with; None for a baseline itself."""
    base = "folds-mert" if row.folds else BASELINE[row.search]
    return None if base == row.name else base


def p_of(difference: Difference) -> float:
    """Return the larger one of both tests'."""
    return max(difference.p_bootstrap, difference.p_randomization)


def with_correction(results: list[RowResult]) -> list[RowResult]:
    """Correct p-values (Holm 1979) for the number of compared rows."""
    found = {each.row.name: each.open["BLEU"].difference for each in results}
    own = {name: p_of(each) for name, each in found.items() if each is not None}
    p = dict(zip(own, corrected(list(own.values())), strict=True))
    return [replace(each, p=p.get(each.row.name)) for each in results]
