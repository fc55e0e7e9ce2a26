"""The tables of a comparison of feature sets, as Markdown and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from tunesmith.evaluation.correction import corrected
from tunesmith.experiments.findings import Finding
from tunesmith.experiments.green2014 import published
from tunesmith.experiments.green2014.findings import judge_findings
from tunesmith.experiments.green2014.results import ALPHA, RowResult
from tunesmith.experiments.green2014.rows import BASE
from tunesmith.experiments.repetitions import TRIALS
from tunesmith.experiments.tables import FINDING_HEADER, pipe_table, shown, write_table
from tunesmith.signature import Signature

TITLE = "Extended features (Green et al. 2014), on these data"
HEADER = ("model", "table", "features", "epochs", "s an epoch", "tune", "dev", "test", "Δ SPARSE", "p", "Δ DENSE",
          "p of it")  # fmt: skip
ABOUT = (
    "tune is dev of the data, which weights are learnt on; dev is devtest, which the epoch is chosen on. Scores "
    "are BLEU without case, against all references. p: approximate randomisation on test, "
    f"{TRIALS} trials; bold below {ALPHA}. Rows with another recipe are compared with DENSE by the "
    "same recipe where there is one."
)


class Section(NamedTuple):
    """A table under a heading; texts: how many of the first columns are text."""

    heading: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: int


@dataclass(frozen=True)
class FeatureTable:
    """All that is published.

    clusterings: words and seconds by side and vocabulary (Table 1).
    selections: of training pairs by domain. variance: of references, with and without extensions (section 6.2).
    """

    results: Sequence[RowResult]
    facts: Mapping[str, Any]
    clusterings: Mapping[str, Mapping[str, float]]
    selections: Mapping[str, Mapping[str, float]]
    variance: Mapping[str, Mapping[str, float]]
    signature: Signature

    def rows(self) -> list[list[str]]:
        return [_cells(each) for each in self.results]

    def findings(self) -> list[Finding]:
        return judge_findings(self.results, self.clusterings, self.variance)

    def sections(self) -> list[Section]:
        """Return the sections of the page, in the order of the paper."""
        found = [
            self._corrected(),
            self._domains(),
            self._templates(),
            self._references(),
            self._classes(),
            self._selected(),
        ]
        return [each for each in found if each.rows]

    def _corrected(self) -> Section:
        found = [(each, each.against.get(each.dense)) for each in self.results]
        compared = [
            (each, one.difference) for each, one in found if one is not None and one.difference is not None
        ]
        holm = corrected([difference.p_randomization for _, difference in compared])
        rows = [[each.row.label, each.dense, f"{one.score:+.2f}", f"{one.p_randomization:.3f}", f"{p:.3f}"]
                for (each, one), p in zip(compared, holm, strict=True)]  # fmt: skip
        return Section(f"Against DENSE, p corrected for {len(rows)} rows (Holm 1979)",
                       ("model", "row", "Δ", "p", "corrected"), rows, 2)  # fmt: skip

    def _domains(self) -> Section:
        results = [each for each in self.results if each.domains]
        columns = [(name, domain) for name, of_set in (results[0].domains if results else {}).items()
                   for domain in of_set]  # fmt: skip
        header = ["model", *(f"{name} {domain}" for name, domain in columns)]
        rows = [[each.row.label, *(f"{each.domains[name][domain]:.2f}" for name, domain in columns)]
                for each in results]  # fmt: skip
        return Section("Each domain (Table 5)", header, rows, 1)

    def _templates(self) -> Section:
        results = [each for each in self.results if each.row.has_sparse_features]
        names = sorted({name for each in results for name in each.templates})
        header = ["template", *(each.row.name for each in results)]
        rows = [[name, *(str(each.templates.get(name, 0)) for each in results)] for name in names]
        return Section("Features with a weight, by template", header, rows, 1)

    def _references(self) -> Section:
        rows = [[name, f"{each['mean']:.1f}", f"{each['deviation']:.1f}"] for name, each in self.variance.items()]
        return Section("Reference variance of DENSE on dev (Figure 1)", ("", "M", "SD"), rows, 1)

    def _classes(self) -> Section:
        rows = [[name, f"{each['words']:.0f}", f"{each['tokens']:.0f}", f"{each['seconds']:.2f}"]
                for name, each in self.clusterings.items()]  # fmt: skip
        header = ("side and vocabulary", "words", "tokens", "s of processor time")
        return Section("Word classes (Table 1)", header, rows, 1)

    def _selected(self) -> Section:
        def share(each: Mapping[str, float], name: str) -> str:
            return f"{each[name]:.1%}" if name in each else "–"

        rows = [[name, f"{each['sample']}", f"{each['chosen']}", share(each, "precision"), share(each, "recall")]
                for name, each in self.selections.items()]  # fmt: skip
        return Section("Training pairs of each domain, by feature decay selection",
                       ("domain", "sample", "chosen", "precision", "recall"), rows, 1)  # fmt: skip

    def markdown(self) -> str:
        lines = [f"# {TITLE}", "", *(f"- {name}: {shown(value)}" for name, value in self.facts.items())]
        lines += ["", *pipe_table(HEADER, self.rows(), texts=2), "", ABOUT, ""]
        for each in self.sections():
            lines += [f"## {each.heading}", "", *pipe_table(each.header, each.rows, texts=each.texts), ""]
        lines += ["## Findings of the paper", "", *pipe_table(FINDING_HEADER, self.findings(), texts=3), ""]
        lines += ["## What the paper printed", ""]
        for pair, rows in published.TABLE_4.items():
            lines += [f"Table 4, {pair}:", "", *pipe_table(published.HEADER, rows, texts=1), ""]
        lines += [*pipe_table(("table", "Ar-En"), published.OTHERS, texts=2), ""]
        lines += ["```", str(self.signature), "```", ""]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Return the values of JSON output; numbers are not rounded."""
        return {
            "title": TITLE,
            "facts": dict(self.facts),
            "rows": [each.as_dict() for each in self.results],
            "clusterings": dict(self.clusterings),
            "selections": dict(self.selections),
            "variance": dict(self.variance),
            "findings": [each.as_dict() for each in self.findings()],
            "signature": {"text": str(self.signature), **self.signature.as_dict()},
        }

    def write(self, folder: Path) -> None:
        write_table(folder, self.markdown(), self.as_dict())


def _cells(result: RowResult) -> list[str]:
    tests = []
    for base in (BASE, result.dense):
        difference, p = result.difference(base), result.p(base)
        cells = ["–", "–"] if difference is None or p is None else [f"{difference:+.2f}", f"{p:.3f}"]
        tests += [f"**{cell}**" for cell in cells] if result.significant(base) else cells
    scores = [f"{result.scores[name]:.2f}" for name in ("tune", "dev", "test")]
    return [result.row.label, result.row.table, str(result.active), str(result.epochs),
            f"{60 * result.minutes:.1f}", *scores, *tests]  # fmt: skip
