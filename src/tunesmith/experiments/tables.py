"""Tables as Markdown and JSON."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tunesmith.evaluation.pages import page as html
from tunesmith.experiments.findings import Finding
from tunesmith.io import atomic_writer
from tunesmith.io.documents import write_document
from tunesmith.io.inside import inside

FINDING_HEADER = ("finding of the paper", "here", "why")
"""Columns of a table of findings, as Markdown and as HTML."""
_BOLD = re.compile(r"\*\*(.+)\*\*")


def write_table(folder: Path, markdown: str, document: Mapping[str, Any]) -> None:
    """Write `table.md` and `table.json`, each whole or not at all."""
    with atomic_writer(inside(folder) / "table.md") as out:
        out.write(markdown)
    write_document(inside(folder) / "table.json", document)


def pipe_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, texts: int = 3) -> list[str]:
    """Format a Markdown table.   texts: number of text columns at the left."""
    rule = [":--" if at < texts else "--:" for at in range(len(header))]
    escaped = [[cell.replace("|", "\\|") for cell in row] for row in rows]
    return [f"| {' | '.join(row)} |" for row in (header, rule, *escaped)]


def bold_table(header: Sequence[str], rows: Sequence[Sequence[str]], *, texts: int = 3, base: int = -1) -> str:
    """Format a table as HTML: cells in Markdown's bold are green or red by the sign of their difference.

    base: the row to mark.
    """
    bold = [[_BOLD.fullmatch(cell) for cell in row] for row in rows]
    strong = {
        (at, column): _judgement(row) for at, row in enumerate(bold) for column, found in enumerate(row) if found
    }
    plain = [
        [found[1] if found else cell for cell, found in zip(row, marks, strict=True)]
        for row, marks in zip(rows, bold, strict=True)
    ]
    return html.table(html.Table(header, plain, frozenset(range(texts)), marked=frozenset({base}), strong=strong))


def findings_table(findings: Sequence[Finding]) -> str:
    """Return findings of a paper with our verdicts as HTML."""
    rows = [list(each) for each in findings]
    return html.table(html.Table(FINDING_HEADER, rows, texts=frozenset({1}), long=frozenset({0, 2})))


def _judgement(cells: Sequence[re.Match[str] | None]) -> str:
    """Return whether the difference among bold cells is an improvement (higher is better in all tables)."""
    for found in cells:
        if found and found[1][:1] in ("+", "-"):
            return "good" if found[1].startswith("+") else "bad"
    return ""


def shown(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
