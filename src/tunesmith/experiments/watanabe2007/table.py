"""The tables of the experiment as Markdown and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tunesmith.experiments.findings import Finding
from tunesmith.experiments.repetitions import SAMPLES, TRIALS
from tunesmith.experiments.tables import FINDING_HEADER, pipe_table, shown, write_table
from tunesmith.experiments.watanabe2007.published import FOLDS, printed_cells
from tunesmith.experiments.watanabe2007.results import ALPHA, RowResult
from tunesmith.signature import Signature

TITLE = "Online large-margin training (Watanabe et al. 2007), on these data"
HEADER = ("row", "what", "search", "active", "NIST closed", "BLEU closed", "NIST open", "BLEU open", "±", "Δ", "p",
          "rounds", "min")  # fmt: skip
TEXTS = 3
PAPER_HEADER = ("", "active", "dev NIST", "dev BLEU", "devtest NIST", "devtest BLEU", "paper: active", "dev",
                "2004", "2005")  # fmt: skip
FOLDS_HEADER = ("", "closed NIST", "closed BLEU", "open NIST", "open BLEU", "paper: closed", "open")
ABOUT = (
    "Closed is dev, and the folds a row was tuned on for Table 4; open is devtest, and the other folds. ± is half "
    f"of the 95 % interval. Δ and p are against MERT with the same search (paired bootstrap, {SAMPLES} samples; "
    f"approximate randomisation, {TRIALS} trials; the larger p, corrected for the number of rows). "
    f"Bold: p is below {ALPHA}. Active: features with a weight other than 0. Scores ignore case."
)


@dataclass(frozen=True)
class OnlineTable:
    """All that is published."""

    results: Sequence[RowResult]
    findings: Sequence[Finding]
    facts: Mapping[str, Any]
    signature: Signature

    def rows(self) -> list[list[str]]:
        return [each.cells() for each in self.results]

    def sections(self) -> list[tuple[str, Sequence[str], list[list[str]]]]:
        """Return tables in the layout of the paper: heading, header, cells."""
        found: list[tuple[str, Sequence[str], list[list[str]]]] = []
        for number in (1, 2, 3):
            rows = [_cells(each, number) for each in self.results if number in each.row.tables]
            found.append((f"Table {number} of the paper", PAPER_HEADER, rows))
        folds = [_fold_cells(each) for each in self.results if 4 in each.row.tables]
        found.append(("Table 4 of the paper", FOLDS_HEADER, folds))
        return [each for each in found if each[2]]

    def markdown(self) -> str:
        lines = [f"# {TITLE}", ""]
        lines += [f"- {name}: {shown(value)}" for name, value in self.facts.items()]
        lines += ["", *pipe_table(HEADER, self.rows(), texts=TEXTS), "", ABOUT, ""]
        for heading, header, cells in self.sections():
            lines += [f"## {heading}", "", *pipe_table(header, cells, texts=1), ""]
        if self.results:
            lines += ["## Findings of the paper", "", *pipe_table(FINDING_HEADER, self.findings, texts=3), ""]
        lines += ["```", str(self.signature), "```", ""]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Return the values of JSON output; numbers are not rounded."""
        return {
            "title": TITLE,
            "facts": dict(self.facts),
            "rows": [each.as_dict() for each in self.results],
            "findings": [each.as_dict() for each in self.findings],
            "signature": {"text": str(self.signature), **self.signature.as_dict()},
        }

    def write(self, folder: Path) -> None:
        write_table(folder, self.markdown(), self.as_dict())


def _cells(result: RowResult, table: int) -> list[str]:
    own = [f"{each[metric].mean:.2f}" for each in (result.closed, result.open) for metric in ("NIST", "BLEU")]
    return [result.row.label, f"{result.active:.0f}", *own, *printed_cells(table, result.row.name)]


def _fold_cells(result: RowResult) -> list[str]:
    own = [f"{each[metric].mean:.2f}" for each in (result.closed, result.open) for metric in ("NIST", "BLEU")]
    printed = [f"{scores[1]:.2f}" for scores in FOLDS[result.row.name]]
    return [result.row.label, *own, *printed]
