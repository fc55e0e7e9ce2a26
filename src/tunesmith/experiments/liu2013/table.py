"""The table of an experiment, as Markdown and JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tunesmith.experiments.liu2013.results import RowResult, SetScore
from tunesmith.experiments.tables import pipe_table, shown, write_table
from tunesmith.signature import Signature

HEADER = ("method", "tuned on", "features", "active", "reused", "devtest", "test", "±", "Δ test", "p", "minutes")
ALPHA = 0.05


@dataclass(frozen=True)
class Table:
    """Published results of an experiment.

    base: the row that differences and p-values are against.   facts: sizes of data and model, what else was found.
    """

    title: str
    results: Sequence[RowResult]
    base: str | None
    facts: Mapping[str, Any]
    signature: Signature

    def rows(self) -> list[list[str]]:
        return [_cells(each, self.base) for each in self.results]

    def markdown(self) -> str:
        lines = [f"# {self.title}", ""]
        lines += [f"- {name}: {shown(value)}" for name, value in self.facts.items()]
        lines += ["", *pipe_table(HEADER, self.rows()), ""]
        if self.base is not None:
            label = next(each.row.label for each in self.results if each.row.name == self.base)
            lines += [
                f"Δ and p are against {label}, the row of default features tuned on dev that is best on "
                f"devtest; **bold**: p < {ALPHA} (paired bootstrap). ± is half of the 95 % interval of test.",
                "",
            ]
        published = [each for each in self.results if each.row.published is not None]
        if published:
            lines += ["What the paper printed for its own data:", "", *pipe_table(*published_table(published)), ""]
        swept = [each for each in self.results if each.tried]
        if swept:
            lines += ["Settings tried on devtest, the chosen one first:", ""]
            lines += [f"- {each.row.label}: {_sweep(each)}" for each in swept]
            lines.append("")
        lines += ["```", str(self.signature), "```", ""]
        return "\n".join(lines)

    def as_dict(self) -> dict[str, Any]:
        """Return a dictionary for JSON; numbers are not rounded."""
        return {
            "title": self.title,
            "base": self.base,
            "facts": dict(self.facts),
            "rows": [each.as_dict() for each in self.results],
            "signature": {"text": str(self.signature), **self.signature.as_dict()},
        }

    def write(self, folder: Path) -> None:
        write_table(folder, self.markdown(), self.as_dict())


def published_table(results: Sequence[RowResult]) -> tuple[list[str], list[list[str]]]:
    header = ["method", "tuned on", "features", "active", "reused", "devtest", "test", "minutes"]
    rows = []
    for each in results:
        row, there = each.row, each.row.published
        assert there is not None
        numbers = [str(there.active), str(there.reused), f"{there.devtest:.1f}", f"{there.test:.1f}"]
        rows.append([row.method, row.data, row.features, *numbers, str(there.minutes)])
    return header, rows


def _cells(result: RowResult, base: str | None) -> list[str]:
    row, test = result.row, result.test
    difference = "–" if test.difference is None else f"{test.difference:+.2f}"
    p_value = "–" if test.p_value is None else f"{test.p_value:.3f}"
    if test.p_value is not None and test.p_value < ALPHA:
        difference, p_value = f"**{difference}**", f"**{p_value}**"
    return [
        row.method,
        row.data,
        row.features,
        _count(result.active),
        _count(result.reused),
        _score(result.devtest),
        _score(test),
        f"{test.interval.half_width:.1f}",
        difference,
        p_value,
        f"{result.minutes:.1f}",
    ]


def _score(found: SetScore) -> str:
    return f"{found.score:.2f}" + ("" if found.deviation is None else f" (SD {found.deviation:.2f})")


def _count(value: float) -> str:
    return f"{value:.0f}"


def _sweep(result: RowResult) -> str:
    tried = sorted(result.tried, key=lambda each: -each["devtest"])
    return "; ".join(f"{','.join(each['settings']) or 'as it is'} {each['devtest']:.2f}" for each in tried)
