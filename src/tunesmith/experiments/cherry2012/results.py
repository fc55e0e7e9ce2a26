"""Results of a comparison of batch tuners, for each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from tunesmith.evaluation.correction import corrected
from tunesmith.experiments.cherry2012.rows import TunerRow
from tunesmith.experiments.repetitions import Difference, Judged, deviation, mean

ALPHA = 0.05


@dataclass(frozen=True)
class Compared:
    """A difference from another row on test 1 and test 2 together.   p: the larger of both tests', corrected."""

    base: str
    difference: Difference
    p: float

    @classmethod
    def of(cls, base: str, difference: Difference) -> Compared:
        return cls(base, difference, max(difference.p_bootstrap, difference.p_randomization))

    @property
    def significant(self) -> bool:
        return self.p < ALPHA

    def as_dict(self) -> dict[str, Any]:
        return {"base": self.base, "p": self.p, **self.difference.as_dict()}


@dataclass(frozen=True)
class TunerResult:
    """Results of a row.

    runs: names of its repetitions.   tune: their scores where tuned.
    p: of the difference on test, corrected for the number of rows.
    baseline: both tests compared with k-best MERT. rounds, best_round: rounds of tuning, and the round of the
        final weights, means over the runs. templates: features with a non-zero weight by template, in the first
        run.
    """

    row: TunerRow
    runs: tuple[str, ...]
    tune: tuple[float, ...]
    devtest: Judged
    test: Judged
    active: float
    minutes: float
    signature: str
    rounds: float
    best_round: float
    templates: Mapping[str, int]
    p: float | None = None
    baseline: Compared | None = None

    @property
    def averages(self) -> list[float]:
        """Mean of both tests, for each run."""
        return [mean(pair) for pair in zip(self.test.scores, self.devtest.scores, strict=True)]

    @property
    def deviation(self) -> float | None:
        """Standard deviation of the average test score over the runs, as in the paper."""
        return deviation(self.averages)

    @property
    def seconds_a_round(self) -> float:
        return 60 * self.minutes / max(self.rounds, 1)

    @property
    def surely_different(self) -> bool:
        """Whether both tests distinguish the row from the best one on test, corrected for the number of rows."""
        return self.p is not None and self.p < ALPHA

    def cells(self) -> list[str]:
        found, test = self.test.difference, self.test
        tests = ["–"] * 4
        if found is not None and self.p is not None:
            tests = [f"{found.score:+.2f}", f"{found.p_bootstrap:.3f}", f"{found.p_randomization:.3f}",
                     f"{self.p:.3f}"]  # fmt: skip
            if self.surely_different:
                tests = [f"**{each}**" for each in tests]
        return [
            self.row.tuner,
            self.row.features,
            str(len(self.runs)),
            f"{mean(self.tune):.2f}",
            f"{test.mean:.2f}",
            f"{self.devtest.mean:.2f}",
            "–" if self.deviation is None else f"{self.deviation:.2f}",
            f"{test.interval.half_width:.1f}",
            *tests,
            f"{self.active:.0f}",
            f"{self.best_round:.1f}",
            f"{self.seconds_a_round:.1f}",
        ]

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.row.name,
            "tuner": self.row.tuner,
            "features": self.row.features,
            "runs": list(self.runs),
            "tune": {"mean": mean(self.tune), "deviation": deviation(self.tune), "scores": list(self.tune)},
            "devtest": self.devtest.as_dict(),
            "test": self.test.as_dict(),
            "deviation": self.deviation,
            "p": self.p,
            "baseline": None if self.baseline is None else self.baseline.as_dict(),
            "active": self.active,
            "templates": dict(self.templates),
            "rounds": self.rounds,
            "best_round": self.best_round,
            "minutes": round(self.minutes, 2),
            "signature": self.signature,
        }


@dataclass(frozen=True)
class Pair:
    """A tuner on lattices and its version on lists, with a feature set, compared on both tests."""

    lattice: TunerResult
    lists: TunerResult
    compared: Compared

    def cells(self) -> list[str]:
        one, other = self.lattice, self.lists
        deltas = [mean(one.tune) - mean(other.tune), one.test.mean - other.test.mean,
                  one.devtest.mean - other.devtest.mean]  # fmt: skip
        spread = ["–" if each.deviation is None else f"{each.deviation:.2f}" for each in (other, one)]
        p = f"{self.compared.p:.3f}"
        return [
            f"{one.row.tuner} - {other.row.tuner}",
            one.row.features,
            *(f"{each:+.2f}" for each in deltas),
            " → ".join(spread),
            f"**{p}**" if self.compared.significant else p,
            f"{other.best_round:.1f} → {one.best_round:.1f}",
            f"{other.seconds_a_round:.1f} → {one.seconds_a_round:.1f}",
        ]

    def as_dict(self) -> dict[str, Any]:
        return {"lattice": self.lattice.row.name, "lists": self.lists.row.name, **self.compared.as_dict()}


@dataclass(frozen=True)
class CurvePoint:
    """Scores by data set (tune, devtest, test) with one value of the setting that is swept."""

    row: TunerRow
    value: str
    scores: Mapping[str, float]

    def as_dict(self) -> dict[str, Any]:
        return {"setting": self.row.setting, "value": self.value, **self.scores}


def with_correction(results: Sequence[TunerResult]) -> list[TunerResult]:
    """Correct p-values (Holm 1979) for the number of compared rows."""
    tests = {each.row.name: each.test.difference for each in results}
    own = {
        name: max(found.p_bootstrap, found.p_randomization) for name, found in tests.items() if found is not None
    }
    on_test = dict(zip(own, corrected(list(own.values())), strict=True))
    together = {each.row.name: each.baseline for each in results if each.baseline is not None}
    on_both = dict(zip(together, holm(list(together.values())), strict=True))
    return [replace(each, p=on_test.get(each.row.name), baseline=on_both.get(each.row.name)) for each in results]


def holm(compared: Sequence[Compared]) -> list[Compared]:
    """Correct p-values for the number of comparisons."""
    return [replace(each, p=p) for each, p in zip(compared, corrected([each.p for each in compared]), strict=True)]
