"""Pictures and the page of a comparison of batch tuners."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tunesmith.evaluation.pages import page as html
from tunesmith.evaluation.pages.drawing import Chart, Figure, grid
from tunesmith.evaluation.pages.score_rows import ScoreRow, score_chart
from tunesmith.experiments.cherry2012 import layout
from tunesmith.experiments.cherry2012.results import TunerResult
from tunesmith.experiments.cherry2012.table import CURVE_HEADER, CURVES, HEADER, TITLE, BatchTable
from tunesmith.experiments.curves import Curve, draw_curves
from tunesmith.experiments.pictures import Pictures
from tunesmith.experiments.tables import bold_table, findings_table, shown
from tunesmith.io import atomic_writer


def draw_all(table: BatchTable) -> dict[str, list[Figure]]:
    """Draw figures by name: `scores` of the table, and `figure1` where settings were swept."""
    found = {}
    if table.results:
        found["scores"] = [_scores(table.results, table.base)]
    if curves := [_curve(table, name) for name, points in table.curves.items() if len(points) > 1]:
        found["figure1"] = draw_curves(curves, same_scale=True)
    return found


def _curve(table: BatchTable, name: str) -> Curve:
    points = table.curves[name]
    row = points[0].row
    scores = {each: [point.scores[each] for point in points] for each in CURVES}
    return Curve(f"{row.tuner}, over-fitting features", row.setting, [point.value for point in points], scores)


def _scores(results: Sequence[TunerResult], base: str | None) -> Figure:
    """Draw the mean of test, every run, and the interval of the first run."""
    rows = [
        ScoreRow(
            each.row.label,
            each.test.mean,
            each.test.interval,
            each.test.scores,
            _kind(each),
            each.row.name == base,
        )
        for each in results
    ]
    about = (
        "● mean of the runs, | each of them, line: 95 % interval of the first. Dotted: the row that is best on "
        "devtest; green: significantly better than it, red: significantly worse."
    )
    return score_chart(Chart("BLEU on test", about, "{:.2f}".format), rows)


def _kind(result: TunerResult) -> str:
    difference = result.test.difference
    if difference is None or not result.surely_different:
        return ""
    return "good" if difference.score > 0 else "bad"


def write_page(path: Path, table: BatchTable, pictures: Pictures) -> None:
    with atomic_writer(path) as out:
        out.write(page(table, pictures))


def page(table: BatchTable, pictures: Pictures) -> str:
    names = [each.row.name for each in table.results]
    parts = [
        html.paragraph("experiment", "over"),
        f"<h1>{html.escape(TITLE)}</h1>",
        html.facts({name: shown(value) for name, value in table.facts.items()}),
        bold_table(HEADER, table.rows(), texts=2, base=names.index(table.base) if table.base in names else -1),
        html.paragraph(table.about(), "small"),
    ]
    for heading, cells, texts in table.sections(by_set=True) if table.results else ():
        rows = [[cell.replace("\\*", "*") for cell in row] for row in cells.rows]
        parts += [html.heading(heading), bold_table(cells.header, rows, texts=texts)]
    parts += [html.paragraph(layout.ABOUT.replace("\\*", "*"), "small")] if table.results else []
    if "scores" in pictures:
        parts += [html.heading("BLEU of every row"), grid(pictures["scores"], "wide")]
    if table.curves:
        parts.append(html.heading("Regularisation with over-fitting features (their Figure 1)"))
        if "figure1" in pictures:
            parts.append(grid(pictures["figure1"]))
        parts.append(html.table(html.Table(CURVE_HEADER, table.curve_rows(), frozenset({0, 1}))))
    if table.results:
        parts += [html.heading("Findings of the paper"), findings_table(table.findings())]
    header, printed = table.published()
    if printed:
        parts += [html.heading("What the paper printed for its own data"), html.table(html.Table(header, printed))]
    parts.append(f"<p><code>{html.escape(table.signature)}</code></p>")
    return html.page(TITLE, parts)
