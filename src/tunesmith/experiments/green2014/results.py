"""Results of a comparison of feature sets, for each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tunesmith.evaluation.domains import sentences_of
from tunesmith.experiments.green2014.rows import DENSE, FeatureRow
from tunesmith.experiments.repetitions import Judged, judged
from tunesmith.metrics import Metric
from tunesmith.metrics.base import Floats

ALPHA = 0.05
SETS = ("dev", "devtest", "test")
NAMES = {"dev": "tune", "devtest": "dev", "test": "test"}
"""Names of our data sets in the paper: weights are learnt on tune, epochs chosen on dev."""


@dataclass(frozen=True)
class RowResult:
    """Results of a row.

    active: features with a non-zero weight.
    epochs: number of the epoch of the final weights. minutes: of an epoch. scores: by data set, as the paper calls
        it. against: test against other rows, by their names. domains: scores of each domain by data set.
    """

    row: FeatureRow
    active: int
    epochs: int
    minutes: float
    scores: Mapping[str, float]
    against: Mapping[str, Judged]
    domains: Mapping[str, Mapping[str, float]]
    templates: Mapping[str, int]
    signature: str

    @property
    def dense(self) -> str:
        """Name of the DENSE row that it is compared with: by the same recipe, if there is one."""
        return self.row.dense if self.row.dense in self.against else DENSE

    def p(self, base: str) -> float | None:
        """Return the p-value of approximate randomisation on test against another row."""
        found = self.against.get(base)
        return None if found is None or found.difference is None else found.difference.p_randomization

    def difference(self, base: str) -> float | None:
        found = self.against.get(base)
        return None if found is None or found.difference is None else found.difference.score

    def significant(self, base: str) -> bool:
        p = self.p(base)
        return p is not None and p < ALPHA

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.row.name,
            "label": self.row.label,
            "table": self.row.table,
            "recipe": self.row.recipe,
            "active": self.active,
            "epochs": self.epochs,
            "minutes": self.minutes,
            "scores": dict(self.scores),
            "against": {name: each.as_dict() for name, each in self.against.items()},
            "domains": {name: dict(each) for name, each in self.domains.items()},
            "templates": dict(self.templates),
            "signature": self.signature,
        }


def row_result(
    row: FeatureRow,
    tuned: Mapping[str, Any],
    statistics: Mapping[str, Mapping[str, Floats]],
    bases: Sequence[str],
    labels: Mapping[str, Sequence[str]],
    metric: Metric,
) -> RowResult:
    """Compute results from stored tuning results and metric statistics, by row and data set.

    bases: rows that this one is compared with, where they are done.   labels: domains of each data set.
    """
    own = statistics[row.name]
    against = {
        base: judged(metric, {"test": own["test"]}, {"test": statistics[base]["test"]})
        for base in bases
        if base in statistics and base != row.name
    }
    domains = {
        NAMES[name]: {
            domain: float(metric.score(own[name][chosen].sum(axis=0)))
            for domain, chosen in sentences_of(given).items()
        }
        for name, given in labels.items()
    }
    return RowResult(
        row,
        active=tuned["active"],
        epochs=tuned["best_round"],
        minutes=tuned["minutes"] / max(tuned["rounds"], 1),
        scores={NAMES[name]: float(metric.score(own[name].sum(axis=0))) for name in SETS},
        against=against,
        domains=domains,
        templates=tuned["templates"],
        signature=tuned["signature"],
    )
