"""Pictures and the page of a comparison of batch tuners."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tunesmith.evaluation.pages import page as html
from tunesmith.experiments.cherry2012.table import CURVE_HEADER, CURVES, HEADER, TITLE, BatchTable, TunerResult
from tunesmith.experiments.curves import Curve, draw_curves
from tunesmith.experiments.pictures import BAD, DEVTEST, ScoreRow, draw_scores, svg_of
from tunesmith.experiments.tables import bold_table, shown
from tunesmith.io import atomic_writer

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_all(table: BatchTable) -> dict[str, str]:
    """SVG by name: `scores` of the table, and `figure1` where settings were swept."""
    found = {}
    if table.results:
        size = (8.6, 1.5 + 0.36 * len(table.results))
        found["scores"] = svg_of(size, lambda figure: _scores(figure, table.results, table.base))
    if curves := [_curve(table, name) for name, points in table.curves.items() if len(points) > 1]:
        found["figure1"] = draw_curves(curves)
    return found


def _curve(table: BatchTable, name: str) -> Curve:
    points = table.curves[name]
    row = points[0].row
    scores = {each: [point.scores[each] for point in points] for each in CURVES}
    return Curve(f"{row.tuner}, over-fitting features", row.setting, [point.value for point in points], scores)


def _scores(figure: Figure, results: Sequence[TunerResult], base: str | None) -> None:
    """The mean of test, every run, the interval of the first run."""
    rows = [
        ScoreRow(
            each.row.label,
            each.test.mean,
            each.test.interval,
            each.test.scores,
            BAD if each.surely_different else DEVTEST,
            each.row.name == base,
        )
        for each in results
    ]
    draw_scores(
        figure,
        rows,
        "BLEU on test: ● mean of the runs, | each of them, line: 95 % interval of the first\n"
        "dotted: the row that is best on devtest; blue: significantly different from it",
    )


def write_page(path: Path, table: BatchTable, pictures: Mapping[str, str]) -> None:
    with atomic_writer(path) as out:
        out.write(page(table, pictures))


def page(table: BatchTable, pictures: Mapping[str, str]) -> str:
    """The HTML text. Pictures are SVG that draws in the colour of the text."""
    names = [each.row.name for each in table.results]
    parts = [
        html.paragraph("experiment", "over"),
        f"<h1>{html.escape(TITLE)}</h1>",
        html.facts({name: shown(value) for name, value in table.facts.items()}),
        bold_table(HEADER, table.rows(), texts=2, base=names.index(table.base) if table.base in names else -1),
        html.paragraph(table.about(), "small"),
    ]
    if "scores" in pictures:
        parts += [html.heading("BLEU of every row"), pictures["scores"]]
    if table.curves:
        parts.append(html.heading("Regularisation with over-fitting features (their Figure 1)"))
        if "figure1" in pictures:
            parts.append(pictures["figure1"])
        parts.append(html.table(html.Table(CURVE_HEADER, table.curve_rows(), frozenset({0, 1}))))
    header, printed = table.published()
    if printed:
        parts += [html.heading("What the paper printed for its own data"), html.table(html.Table(header, printed))]
    parts.append(f"<p><code>{html.escape(table.signature)}</code></p>")
    return html.page(TITLE, parts)
