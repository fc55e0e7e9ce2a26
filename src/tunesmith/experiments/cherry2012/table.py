"""The table of a comparison of batch tuners, as Markdown and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tunesmith.experiments.cherry2012.rows import PUBLISHED, TunerRow
from tunesmith.experiments.repetitions import SAMPLES, TRIALS, Judged, deviation, mean
from tunesmith.experiments.tables import pipe_table, shown, write_table
from tunesmith.signature import Signature

TITLE = "Batch tuners (Cherry and Foster 2012), on these data"
HEADER = ("tuner", "features", "runs", "tune", "devtest", "test", "SD", "±", "Δ test", "p boot", "p rand",
          "active", "minutes")  # fmt: skip
ALPHA = 0.05


@dataclass(frozen=True)
class TunerResult:
    """What the table says about a row.   runs: names of its repetitions.   tune: their scores where tuned."""

    row: TunerRow
    runs: tuple[str, ...]
    tune: tuple[float, ...]
    devtest: Judged
    test: Judged
    active: float
    minutes: float
    signature: str

    @property
    def surely_different(self) -> bool:
        """Whether both tests tell the row from the best one on test."""
        found = self.test.difference
        return found is not None and max(found.p_bootstrap, found.p_randomization) < ALPHA

    def cells(self) -> list[str]:
        found, test = self.test.difference, self.test
        tests = ["–"] * 3
        if found is not None:
            tests = [f"{found.score:+.2f}", f"{found.p_bootstrap:.3f}", f"{found.p_randomization:.3f}"]
            if self.surely_different:
                tests = [f"**{each}**" for each in tests]
        return [
            self.row.tuner,
            self.row.features,
            str(len(self.runs)),
            f"{mean(self.tune):.2f}",
            f"{self.devtest.mean:.2f}",
            f"{test.mean:.2f}",
            "–" if test.deviation is None else f"{test.deviation:.2f}",
            f"{test.interval.half_width:.1f}",
            *tests,
            f"{self.active:.0f}",
            f"{self.minutes:.1f}",
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
            "active": self.active,
            "minutes": round(self.minutes, 2),
            "signature": self.signature,
        }


@dataclass(frozen=True)
class CurvePoint:
    """Scores by data set (tune, devtest, test) with one value of the setting that is swept."""

    row: TunerRow
    value: str
    scores: Mapping[str, float]

    def as_dict(self) -> dict[str, Any]:
        return {"setting": self.row.setting, "value": self.value, **self.scores}


@dataclass(frozen=True)
class BatchTable:
    """All that is published.

    base: the row that is best on devtest, which differences are against.
    curves: points of each row of the figure.
    pair: languages, for the numbers of the paper.
    """

    results: Sequence[TunerResult]
    base: str | None
    curves: Mapping[str, Sequence[CurvePoint]]
    facts: Mapping[str, Any]
    pair: str
    signature: Signature

    def rows(self) -> list[list[str]]:
        return [each.cells() for each in self.results]

    def about(self) -> str:
        label = next((each.row.label for each in self.results if each.row.name == self.base), "no row yet")
        return (
            "Means over the runs of a row; SD is that of test over them, ± half of the 95 % interval of the first "
            f"run. Δ and p (medians over runs; paired bootstrap, {SAMPLES} samples; approximate randomisation, "
            f"{TRIALS} trials) are against {label}, which is best on devtest. Bold: both below {ALPHA}."
        )

    def published(self) -> tuple[list[str], list[list[str]]]:
        """Header and cells of what the paper printed for this language pair; no rows for others."""
        header = ["tuner", *(f"{name} {what}" for name in _SETS for what in ("tune", "test", "SD"))]
        rows = []
        for tuner, sets in PUBLISHED.get(self.pair, {}).items():
            found = [sets.get(name) for name in _SETS]
            cells = [
                ["n/a"] * 3 if each is None else [f"{each.tune:.2f}", f"{each.test:.2f}", f"{each.deviation:.2f}"]
                for each in found
            ]
            rows.append([tuner, *(cell for three in cells for cell in three)])
        return header, rows

    def markdown(self) -> str:
        lines = [f"# {TITLE}", ""]
        lines += [f"- {name}: {shown(value)}" for name, value in self.facts.items()]
        lines += ["", *pipe_table(HEADER, self.rows(), texts=2), "", self.about(), ""]
        if self.curves:
            lines += ["The over-fitting feature set, regularisation swept (their Figure 1):", ""]
            lines += [*pipe_table(CURVE_HEADER, self.curve_rows()), ""]
        header, rows = self.published()
        if rows:
            lines += ["What the paper printed for its own data, a phrase-based system:", ""]
            lines += [*pipe_table(header, rows, texts=1), ""]
        lines += ["```", str(self.signature), "```", ""]
        return "\n".join(lines)

    def curve_rows(self) -> list[list[str]]:
        return [
            [point.row.tuner, point.row.setting, point.value, *(f"{point.scores[name]:.2f}" for name in CURVES)]
            for points in self.curves.values()
            for point in points
        ]

    def as_dict(self) -> dict[str, Any]:
        """For JSON; numbers are not rounded."""
        return {
            "title": TITLE,
            "base": self.base,
            "facts": dict(self.facts),
            "rows": [each.as_dict() for each in self.results],
            "curves": {name: [point.as_dict() for point in points] for name, points in self.curves.items()},
            "signature": {"text": str(self.signature), **self.signature.as_dict()},
        }

    def write(self, folder: Path) -> None:
        write_table(folder, self.markdown(), self.as_dict())


CURVES = ("tune", "devtest", "test")
CURVE_HEADER = ("tuner", "setting", "value", *CURVES)
_SETS = ("Small", "Medium", "Big")
