"""A picture of groups: weights against sizes, and how their number went with the score, round by round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tunesmith.evaluation.pictures import BLUE, GREY, ORANGE, save_picture
from tunesmith.io import StrPath
from tunesmith.tuning.group_files import GroupTable
from tunesmith.tuning.history import Round

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def save_group_plot(
    path: StrPath, table: GroupTable, rounds: Sequence[Round], *, metric: str, number: int
) -> None:
    """Draw and write the file.

    number: the round whose groups these are.   metric: the name of the score.
    """
    save_picture(path, lambda: draw_groups(table, rounds, metric=metric, number=number))


def draw_groups(table: GroupTable, rounds: Sequence[Round], *, metric: str, number: int) -> Figure:
    """The figure: groups of one round, and all rounds."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(11.5, 5.4), layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1))
    groups, course = figure.subplots(1, 2, width_ratios=[1.45, 1])
    _draw_sizes(groups, table, number)
    _draw_rounds(course, [row for row in rounds if row.round], metric, number)
    return figure


def _draw_sizes(axes: Axes, table: GroupTable, number: int) -> None:
    """A bubble for each group: weight, size, and by its area the sentences of the training data it fires in."""
    grouped = ~table.alone
    weights, sizes, train = table.weights[grouped], table.sizes[grouped], table.train[grouped]
    areas = 14 + 260 * np.sqrt(train / max(int(train.max(initial=0)), 1))
    axes.axvline(0, color="#cccccc", linewidth=1, zorder=1)
    for chosen, colour, label in (
        (weights == 0, GREY, "weight 0: never fires on dev, or tuned away"),
        (weights > 0, BLUE, "preferred"),
        (weights < 0, ORANGE, "avoided"),
    ):
        shown = (
            {"facecolors": "none", "edgecolors": colour} if colour == GREY else {"color": colour, "linewidths": 0}
        )
        axes.scatter(
            weights[chosen], sizes[chosen], s=areas[chosen], alpha=0.55, zorder=2,
            label=f"{label} ({np.count_nonzero(chosen)})", **shown,
        )  # fmt: skip
    axes.set_yscale("log")
    axes.set_ylim(bottom=0.7)
    largest = float(np.abs(weights).max(initial=0.0))
    if largest:
        axes.set_xscale("symlog", linthresh=max(largest / 100, 1e-12))
        axes.set_xlim(-1.6 * largest, 1.6 * largest)
    axes.set_xlabel("weight of the group, as tuned on dev")
    axes.set_ylabel("features in the group")
    axes.grid(color="#ececec", linewidth=0.8)
    axes.set_axisbelow(True)
    features = int(sizes.sum())
    axes.set_title(
        f"{len(sizes)} groups of {features} features in round {number}\n"
        "area: sentences of the training data where a group fires", loc="left", pad=12
    )  # fmt: skip
    legend = axes.legend(loc="upper left", frameon=False, fontsize=9.5)
    for handle in legend.legend_handles:
        handle.set_sizes([45])  # type: ignore[union-attr]


def _draw_rounds(axes: Axes, rounds: Sequence[Round], metric: str, number: int) -> None:
    """Bars for the groups of every round, those with a weight darker; a line for the score on dev."""
    numbers = [row.round for row in rounds]
    axes.bar(numbers, [row.details.get("groups", 0) for row in rounds], color="#d7dfe6", label="groups")
    active = [row.details.get("active_groups", 0) for row in rounds]
    axes.bar(numbers, active, color="#8fa9bd", label="with a weight")
    axes.set_xlabel("round")
    axes.set_ylabel("groups, features that stand alone included")
    axes.set_xticks(numbers if len(numbers) <= 16 else numbers[:: len(numbers) // 8])
    score = axes.twinx()
    score.spines["right"].set_visible(True)
    score.plot(numbers, [row.score for row in rounds], color=ORANGE, marker="o", markersize=4, linewidth=1.6)
    score.set_ylabel(f"{metric} on dev", color=ORANGE)
    best = next((row for row in rounds if row.round == number), None)
    if best is not None:
        score.plot([best.round], [best.score], marker="o", markersize=9, color=ORANGE, fillstyle="none")
    axes.set_title(f"Groups and {metric}, round by round\nring: the round shown on the left", loc="left", pad=12)
    axes.legend(loc="lower left", frameon=True, framealpha=0.85, edgecolor="none", fontsize=9.5)
