"""Pictures and the page of the experiment."""

from __future__ import annotations

from pathlib import Path

from tunesmith.evaluation.pages import page as html
from tunesmith.evaluation.pages.drawing import Chart, Figure, grid
from tunesmith.evaluation.pages.score_rows import ScoreRow, score_chart
from tunesmith.experiments.pictures import Pictures
from tunesmith.experiments.tables import bold_table, findings_table, shown
from tunesmith.experiments.watanabe2007.results import ALPHA, RowResult
from tunesmith.experiments.watanabe2007.rows import BASELINE
from tunesmith.experiments.watanabe2007.table import ABOUT, HEADER, TEXTS, TITLE, OnlineTable
from tunesmith.io import atomic_writer


def draw_all(table: OnlineTable) -> dict[str, list[Figure]]:
    """Return the figure `scores`: BLEU on devtest of every row."""
    rows = [
        ScoreRow(each.row.label, each.open["BLEU"].mean, each.open["BLEU"].interval, each.open["BLEU"].scores,
                 _kind(each), each.row.name in BASELINE.values())
        for each in table.results
        if not each.row.folds
    ]  # fmt: skip
    if not rows:
        return {}
    about = "● score, line: 95 % interval. Dotted: MERT; green: significantly better than it, red: worse."
    return {"scores": [score_chart(Chart("BLEU on devtest", about, "{:.2f}".format), rows)]}


def _kind(result: RowResult) -> str:
    difference = result.open["BLEU"].difference
    if difference is None or result.p is None or result.p >= ALPHA:
        return ""
    return "good" if difference.score > 0 else "bad"


def write_page(path: Path, table: OnlineTable, pictures: Pictures) -> None:
    with atomic_writer(path) as out:
        out.write(page(table, pictures))


def page(table: OnlineTable, pictures: Pictures) -> str:
    parts = [
        html.paragraph("experiment", "over"),
        f"<h1>{html.escape(TITLE)}</h1>",
        html.facts({name: shown(value) for name, value in table.facts.items()}),
        bold_table(HEADER, table.rows(), texts=TEXTS),
        html.paragraph(ABOUT, "small"),
    ]
    for heading, header, cells in table.sections():
        parts += [html.heading(heading), bold_table(header, cells, texts=1)]
    if "scores" in pictures:
        parts += [html.heading("BLEU of every row"), grid(pictures["scores"], "wide")]
    if table.results:
        parts += [html.heading("Findings of the paper"), findings_table(table.findings)]
    parts.append(f"<p><code>{html.escape(table.signature)}</code></p>")
    return html.page(TITLE, parts)
