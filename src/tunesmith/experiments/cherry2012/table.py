"""The tables of a comparison of batch tuners, as Markdown and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tunesmith.experiments.cherry2012 import layout
from tunesmith.experiments.cherry2012.findings import judge_findings
from tunesmith.experiments.cherry2012.published import printed_table
from tunesmith.experiments.cherry2012.results import ALPHA, CurvePoint, Pair, TunerResult
from tunesmith.experiments.findings import Finding
from tunesmith.experiments.repetitions import SAMPLES, TRIALS
from tunesmith.experiments.tables import FINDING_HEADER, pipe_table, shown, write_table
from tunesmith.signature import Signature

TITLE = "Batch tuners (Cherry and Foster 2012), on these data"
HEADER = ("tuner", "features", "runs", "tune", "test", "devtest", "SD", "±", "Δ test", "p boot", "p rand", "p",
          "active", "best round", "s a round")  # fmt: skip
CURVES = ("tune", "devtest", "test")
CURVE_HEADER = ("tuner", "setting", "value", *CURVES)


@dataclass(frozen=True)
class BatchTable:
    """The tables of the experiment as they are published.

    base: the row that is best on devtest, which differences are against. curves: points of each row of the figure.
    pairs: tuners on lattices against those on lists. pair: languages, for the numbers of the paper. kind: of the
    model.
    """

    results: Sequence[TunerResult]
    base: str | None
    curves: Mapping[str, Sequence[CurvePoint]]
    pairs: Sequence[Pair]
    facts: Mapping[str, Any]
    pair: str
    kind: str
    signature: Signature

    def rows(self) -> list[list[str]]:
        return [each.cells() for each in self.results]

    def about(self) -> str:
        label = next((each.row.label for each in self.results if each.row.name == self.base), "no row yet")
        return (
            "Means over the runs of a row; SD is that of the average of test and devtest over them, ± half of the "
            f"95 % interval of test of the first run. Δ and p (medians over runs; paired bootstrap, {SAMPLES} "
            f"samples; approximate randomisation, {TRIALS} trials) are against {label}, which is best on devtest. "
            "The last p is the larger of both, corrected for the number of rows (Holm 1979). Bold, and green or "
            f"red on the page: it is below {ALPHA}."
        )

    def published(self) -> tuple[list[str], list[list[str]]]:
        """Return header and cells of the published table of this language pair; no rows for others."""
        return printed_table(self.pair)

    def findings(self) -> list[Finding]:
        return judge_findings(self.results, self.pairs, self.curves, self.kind)

    def sections(self, *, by_set: bool = False) -> list[tuple[str, layout.Cells, int]]:
        """Return tables in the layout of the paper: heading, cells, number of leading columns that are text.

        by_set: scores of each feature set apart.
        """
        heading = "Tables 4 to 6 of the paper"
        scores = {heading: layout.scores_table(self.results, self.kind)}
        if by_set:
            of_sets = layout.scores_by_set(self.results, self.kind)
            scores = {f"{heading}: {name}": cells for name, cells in of_sets.items()}
        found = [
            *((name, cells, 1) for name, cells in scores.items()),
            ("Lattices against lists", layout.pairs_table(self.pairs), 2),
            ("Table 3 of the paper", layout.templates_table(self.results, self.pair), 1),
        ]
        return [each for each in found if each[1].rows]

    def markdown(self) -> str:
        lines = [f"# {TITLE}", ""]
        lines += [f"- {name}: {shown(value)}" for name, value in self.facts.items()]
        lines += ["", *pipe_table(HEADER, self.rows(), texts=2), "", self.about(), ""]
        for heading, cells, texts in self.sections() if self.results else ():
            lines += [f"## {heading}", "", *pipe_table(cells.header, cells.rows, texts=texts), ""]
        lines += [layout.ABOUT, ""] if self.results else []
        if self.curves:
            lines += ["The over-fitting feature set, regularisation swept (their Figure 1):", ""]
            lines += [*pipe_table(CURVE_HEADER, self.curve_rows()), ""]
        if self.results:
            lines += ["## Findings of the paper", "", *pipe_table(FINDING_HEADER, self.findings(), texts=3), ""]
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
        """Return a dictionary for JSON; numbers are not rounded."""
        return {
            "title": TITLE,
            "base": self.base,
            "facts": dict(self.facts),
            "rows": [each.as_dict() for each in self.results],
            "pairs": [each.as_dict() for each in self.pairs],
            "findings": [each.as_dict() for each in self.findings()],
            "curves": {name: [point.as_dict() for point in points] for name, points in self.curves.items()},
            "signature": {"text": str(self.signature), **self.signature.as_dict()},
        }

    def write(self, folder: Path) -> None:
        write_table(folder, self.markdown(), self.as_dict())
