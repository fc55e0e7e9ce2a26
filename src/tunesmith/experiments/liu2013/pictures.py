"""Pictures of the table: scores with intervals, sweeps, sizes of groups."""

from __future__ import annotations

from collections.abc import Sequence

from tunesmith.evaluation.pages.charts import Line, log_chart
from tunesmith.evaluation.pages.drawing import Chart, Figure
from tunesmith.evaluation.pages.score_rows import ScoreRow, score_chart
from tunesmith.experiments.curves import Curve, draw_curves
from tunesmith.experiments.liu2013.results import RowResult, SetScore
from tunesmith.experiments.liu2013.table import ALPHA


def draw_all(results: Sequence[RowResult], base: str | None) -> dict[str, list[Figure]]:
    """Draw figures by name: `scores`, and where there is something to show `sweeps` and `groups`."""
    found = {"scores": [_scores(results, base)]}
    if swept := [each for each in results if len(each.tried) > 1]:
        found["sweeps"] = draw_curves([_curve(each) for each in swept])
    if grouped := [each for each in results if each.details.get("sizes")]:
        found["groups"] = [_sizes(grouped)]
    return found


def _scores(results: Sequence[RowResult], base: str | None) -> Figure:
    rows = [
        ScoreRow(
            each.row.label,
            each.test.score,
            each.test.interval,
            [each.devtest.score],
            _kind(each.test),
            each.row.name == base,
        )
        for each in results
    ]
    about = (
        "● test with its 95 % interval, | devtest. Dotted: the best baseline; green: significantly better, "
        "red: significantly worse than it."
    )
    return score_chart(Chart("BLEU on test", about, "{:.2f}".format), rows)


def _kind(test: SetScore) -> str:
    if test.p_value is None or test.p_value >= ALPHA:
        return ""
    return "good" if (test.difference or 0) > 0 else "bad"


def _curve(result: RowResult) -> Curve:
    """Return scores on devtest by the last setting, which is what was swept."""
    swept = [tried["settings"][-1].partition("=") for tried in result.tried]
    scores = {"devtest": [float(tried["devtest"]) for tried in result.tried]}
    return Curve(result.row.label, swept[0][0], [value for _, _, value in swept], scores)


def _sizes(results: Sequence[RowResult]) -> Figure:
    lines = []
    for each in results:
        sizes = sorted(each.details["sizes"], reverse=True)
        points = [(float(rank), float(size)) for rank, size in enumerate(sizes, start=1)]
        lines.append(Line(f"{each.row.label}: {len(sizes):,} groups", points))
    chart = Chart("Features in a group", "Both axes are logarithmic.", "{:,.0f}".format, "groups, largest first")
    return log_chart(chart, lines, "features in the group")
