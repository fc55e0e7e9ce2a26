"""Pictures of the table: scores with intervals, sweeps, sizes of groups."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tunesmith.experiments.liu2013.results import RowResult, SetScore
from tunesmith.experiments.liu2013.table import ALPHA
from tunesmith.experiments.pictures import BAD, DEVTEST, TEST, ScoreRow, draw_scores, svg_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw_all(results: Sequence[RowResult], base: str | None) -> dict[str, str]:
    """SVG by name: `scores`, and where there is something to show `sweeps` and `groups`."""
    found = {"scores": svg_of((8.6, 1.3 + 0.36 * len(results)), lambda figure: _scores(figure, results, base))}
    if swept := [each for each in results if len(each.tried) > 1]:
        height = 2.6 * -(-len(swept) // 3)
        found["sweeps"] = svg_of((8.6, height), lambda figure: _sweeps(figure, swept))
    if grouped := [each for each in results if each.details.get("sizes")]:
        found["groups"] = svg_of((8.6, 3.4), lambda figure: _sizes(figure, grouped))
    return found


def _scores(figure: Figure, results: Sequence[RowResult], base: str | None) -> None:
    rows = [
        ScoreRow(
            each.row.label,
            each.test.score,
            each.test.interval,
            [each.devtest.score],
            _colour(each.test),
            each.row.name == base,
        )
        for each in results
    ]
    draw_scores(
        figure,
        rows,
        "BLEU: ● test with its 95 % interval, | devtest\n"
        "orange: significantly above the best baseline (dotted line), blue: below",
    )


def _colour(test: SetScore) -> str:
    if test.p_value is None or test.p_value >= ALPHA:
        return DEVTEST
    return TEST if (test.difference or 0) > 0 else BAD


def _sweeps(figure: Figure, results: Sequence[RowResult]) -> None:
    rows = -(-len(results) // 3)
    grid = np.atleast_1d(figure.subplots(rows, 3, squeeze=False)).ravel()
    for axes, each in zip(grid, results, strict=False):
        points = sorted((_value(tried["settings"][-1]), tried["devtest"]) for tried in each.tried)
        name = each.tried[0]["settings"][-1].partition("=")[0]
        axes.plot([x for x, _ in points], [y for _, y in points], "o-", color=TEST, lw=1.5, ms=5)
        if min(x for x, _ in points) > 0:
            axes.set_xscale("log")
        axes.set_title(each.row.label, fontsize=9)
        axes.set_xlabel(name, fontsize=9)
        axes.set_ylabel("devtest", fontsize=9)
    for axes in grid[len(results) :]:
        axes.set_visible(False)


def _sizes(figure: Figure, results: Sequence[RowResult]) -> None:
    axes: Axes = figure.subplots()
    for each in results:
        sizes = np.sort(np.asarray(each.details["sizes"]))[::-1]
        axes.plot(np.arange(1, len(sizes) + 1), sizes, lw=1.6, label=f"{each.row.label}: {len(sizes)} groups")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("groups, largest first")
    axes.set_ylabel("features in the group")
    axes.legend(fontsize=8, loc="center left", bbox_to_anchor=(1.0, 0.5))


def _value(setting: str) -> float:
    try:
        return float(setting.partition("=")[2])
    except ValueError:
        return 0.0
