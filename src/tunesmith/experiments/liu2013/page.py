"""The page of an experiment: one HTML file that needs no other, for light and dark screens."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from tunesmith.evaluation.pages import page as html
from tunesmith.experiments.liu2013.table import HEADER, Table, published_table
from tunesmith.experiments.tables import shown
from tunesmith.io import atomic_writer

_TITLES = {
    "scores": "BLEU of every row",
    "sweeps": "Settings tried on devtest",
    "groups": "Sizes of the groups",
}
_BOLD = re.compile(r"\*\*(.+)\*\*")
_LEFT = frozenset(range(3))


def write_report(path: Path, table: Table, pictures: Mapping[str, str]) -> None:
    """Write the page, whole or not at all."""
    with atomic_writer(path) as out:
        out.write(page(table, pictures))


def page(table: Table, pictures: Mapping[str, str]) -> str:
    """The HTML text. Pictures are SVG that draws in the colour of the text."""
    published = [each for each in table.results if each.row.published is not None]
    parts = [
        html.paragraph("experiment", "over"),
        f"<h1>{html.escape(table.title)}</h1>",
        html.facts({name: shown(value) for name, value in table.facts.items()}),
        _table(HEADER, table.rows(), [each.row.name == table.base for each in table.results]),
        html.paragraph(
            "Δ and p (paired bootstrap) are against the row in italics: default features, tuned on dev, best on "
            "devtest. Bold: p < 0.05. ± is half of the 95 % interval of test.",
            "small",
        ),
    ]
    for name, svg in pictures.items():
        parts += [html.heading(_TITLES.get(name, name)), svg]
    if published:
        header, rows = published_table(published)
        parts += [html.heading("What the paper printed for its own data"), _table(header, rows, [])]
    parts.append(f"<p><code>{html.escape(table.signature)}</code></p>")
    return html.page(table.title, parts)


def _table(header: Sequence[str], rows: Sequence[Sequence[str]], base: Sequence[bool]) -> str:
    """Cells in the bold of Markdown stand out."""
    bold = [[_BOLD.fullmatch(cell) for cell in row] for row in rows]
    strong = frozenset((at, column) for at, row in enumerate(bold) for column, found in enumerate(row) if found)
    plain = [
        [found[1] if found else cell for cell, found in zip(row, marks, strict=True)]
        for row, marks in zip(rows, bold, strict=True)
    ]
    marked = frozenset(at for at, is_base in enumerate(base) if is_base)
    return html.table(html.Table(header, plain, _LEFT, marked=marked, strong=strong))
