"""The page of an experiment: a self-contained HTML file, for light and dark screens."""

from __future__ import annotations

from pathlib import Path

from tunesmith.evaluation.pages import page as html
from tunesmith.evaluation.pages.drawing import grid
from tunesmith.experiments.liu2013.table import HEADER, Table, published_table
from tunesmith.experiments.pictures import Pictures
from tunesmith.experiments.tables import bold_table, shown
from tunesmith.io import atomic_writer

_TITLES = {
    "scores": "BLEU of every row",
    "sweeps": "Settings tried on devtest",
    "groups": "Sizes of the groups",
}


def write_report(path: Path, table: Table, pictures: Pictures) -> None:
    with atomic_writer(path) as out:
        out.write(page(table, pictures))


def page(table: Table, pictures: Pictures) -> str:
    published = [each for each in table.results if each.row.published is not None]
    names = [each.row.name for each in table.results]
    parts = [
        html.paragraph("experiment", "over"),
        f"<h1>{html.escape(table.title)}</h1>",
        html.facts({name: shown(value) for name, value in table.facts.items()}),
        bold_table(HEADER, table.rows(), base=names.index(table.base) if table.base in names else -1),
        html.paragraph(
            "Δ and p (paired bootstrap) are against the row in italics: default features, tuned on dev, best on "
            "devtest. Bold: p < 0.05, green where the row is better and red where it is worse. ± is half of the "
            "95 % interval of test.",
            "small",
        ),
    ]
    for name, figures in pictures.items():
        parts += [html.heading(_TITLES.get(name, name)), grid(figures, "" if len(figures) > 1 else "wide")]
    if published:
        header, rows = published_table(published)
        parts += [html.heading("What the paper printed for its own data"), bold_table(header, rows)]
    parts.append(f"<p><code>{html.escape(table.signature)}</code></p>")
    return html.page(table.title, parts)
