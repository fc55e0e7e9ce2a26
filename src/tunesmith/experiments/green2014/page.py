"""The page of a comparison of feature sets."""

from __future__ import annotations

from pathlib import Path

from tunesmith.evaluation.pages import page as html
from tunesmith.evaluation.pages.drawing import Chart, Figure, grid
from tunesmith.evaluation.pages.score_rows import ScoreRow, score_chart
from tunesmith.experiments.green2014.rows import BASE
from tunesmith.experiments.green2014.table import ABOUT, HEADER, TITLE, FeatureTable
from tunesmith.experiments.pictures import Pictures
from tunesmith.experiments.tables import bold_table, findings_table, shown
from tunesmith.io import atomic_writer


def draw_all(table: FeatureTable) -> dict[str, list[Figure]]:
    """Draw figures by name: `scores` on test, where there is a row to compare with."""
    rows = []
    for each in table.results:
        found = each.against.get(BASE) or next(iter(each.against.values()), None)
        if found is not None:
            score = each.scores["test"]
            rows.append(ScoreRow(each.row.label, score, found.interval, (score,), "", each.row.name == BASE))
    if not rows:
        return {}
    base = next((f" Dotted: {row.label}." for row in rows if row.base), "")
    chart = Chart("BLEU on test", f"● score, line: 95 % interval.{base}", "{:.2f}".format)
    return {"scores": [score_chart(chart, rows)]}


def write_page(path: Path, table: FeatureTable, pictures: Pictures) -> None:
    with atomic_writer(path) as out:
        out.write(page(table, pictures))


def page(table: FeatureTable, pictures: Pictures) -> str:
    parts = [
        html.paragraph("experiment", "over"),
        f"<h1>{html.escape(TITLE)}</h1>",
        html.facts({name: shown(value) for name, value in table.facts.items()}),
        bold_table(HEADER, table.rows(), texts=2),
        html.paragraph(ABOUT, "small"),
    ]
    if "scores" in pictures:
        parts += [html.heading("BLEU of every row"), grid(pictures["scores"], "wide")]
    for each in table.sections():
        parts += [html.heading(each.heading), bold_table(each.header, each.rows, texts=each.texts)]
    parts += [html.heading("Findings of the paper"), findings_table(table.findings())]
    parts.append(f"<p><code>{html.escape(str(table.signature))}</code></p>")
    return html.page(TITLE, parts)
