"""A picture of groups: weights against sizes, and how their number went with the score, round by round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tunesmith.evaluation.pages.pictures import BLUE, GREY, ORANGE, save_picture
from tunesmith.features.names import readable
from tunesmith.io import StrPath
from tunesmith.metrics.base import Floats
from tunesmith.tuning.loop.history import Round
from tunesmith.tuning.runs.group_files import GroupTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_NAMED, _LONGEST = 8, 22
_COLOURS = (BLUE, ORANGE, "#5b8c5a", "#8a6bb1", GREY)


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
    if table.shares is None:
        _draw_sizes(groups, table, number)
    else:
        _draw_shares(groups, table, table.shares, number)
    _draw_rounds(course, [row for row in rounds if row.round], metric, number)
    return figure


def _draw_sizes(axes: Axes, table: GroupTable, number: int) -> None:
    """A bubble for each group: weight, size, and by its area the sentences of the training data it fires in."""
    grouped = np.flatnonzero(~table.alone)
    weights, sizes, train = table.weights[grouped], table.sizes[grouped], table.train[grouped]
    areas = 14 + 260 * np.sqrt(train / max(int(train.max(initial=0)), 1))
    heights = sizes * 1.16 ** np.random.default_rng(1).uniform(-1, 1, len(sizes))  # groups of one size lie apart
    axes.axvline(0, color="#cccccc", linewidth=1, zorder=1)
    for chosen, colour, label in (
        (weights > 0, BLUE, "preferred"),
        (weights < 0, ORANGE, "avoided"),
        (weights == 0, GREY, "never fires on dev, or tuned away"),
    ):
        filled = colour != GREY
        axes.scatter(
            weights[chosen], heights[chosen], s=areas[chosen], alpha=0.55, zorder=2 + filled,
            facecolors=colour if filled else "none", edgecolors="none" if filled else colour,
            label=f"{label} ({np.count_nonzero(chosen)})",
        )  # fmt: skip
    _scale(axes, weights)
    telling = np.abs(weights) * np.sqrt(train) * sizes * (sizes > 1)  # a group of one is no group yet
    for at in np.argsort(-telling, kind="stable")[:_NAMED].tolist():
        if weights[at] and (label := _label(table, int(grouped[at]))):
            axes.annotate(
                label, (weights[at], heights[at]), xytext=(7, 5), textcoords="offset points", fontsize=8.5,
                color="#333333", zorder=4, ha="left" if weights[at] < 0 else "right",
            )  # fmt: skip
    axes.set_xlabel("weight of the group, as tuned on dev")
    axes.set_ylabel("features in the group")
    axes.grid(color="#ececec", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_title(
        f"{len(sizes)} groups of {int(sizes.sum())} features in round {number}\n"
        "area: sentences of the training data where a group fires", loc="left", pad=12
    )  # fmt: skip
    legend = axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3, frameon=False, fontsize=9.5)
    for handle in legend.legend_handles:
        handle.set_sizes([45])  # type: ignore[union-attr]


def _draw_shares(axes: Axes, table: GroupTable, shares: Floats, number: int) -> None:
    """How many features of each template have which share of their group, in bins."""
    from matplotlib.ticker import FuncFormatter

    grouped = np.flatnonzero(~table.alone[table.groups])
    templates = [table.names[at].partition(":")[0] for at in grouped.tolist()]
    names, of, counts = np.unique(templates, return_inverse=True, return_counts=True)
    largest = float(np.abs(shares[grouped]).max(initial=0.0)) or 1.0
    bins = np.linspace(-largest, largest, 61)
    axes.axvline(0, color="#cccccc", linewidth=1, zorder=1)
    for place, at in enumerate(np.argsort(-counts, kind="stable").tolist()):
        colour = _COLOURS[place % len(_COLOURS)]
        axes.hist(shares[grouped[of == at]], bins=bins.tolist(), histtype="step", linewidth=1.8, color=colour,
                  label=f"{names[at]} ({counts[at]:,})", zorder=3)  # fmt: skip
    axes.set_yscale("log")
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.set_ylim(bottom=0.7)
    axes.set_xlabel("share of the group's weight, as learnt on training data")
    axes.set_ylabel("features")
    axes.grid(color="#ececec", linewidth=0.8)
    axes.set_axisbelow(True)
    groups = np.flatnonzero(~table.alone)
    weights = ", ".join(f"{weight:.3g}" for weight in table.weights[groups[:4]].tolist())
    what = "One group" if len(groups) == 1 else f"{len(groups)} groups"
    axes.set_title(
        f"{what} of {len(grouped):,} features in round {number}\n"
        f"tuned on dev: {weights}{', …' if len(groups) > 4 else ''} times these shares", loc="left", pad=12
    )  # fmt: skip
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3, frameon=False, fontsize=9.5)


def _scale(axes: Axes, weights: Floats) -> None:
    """Sizes and weights go over several orders of magnitude; weights on both sides of 0."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, SymmetricalLogLocator

    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(10, (1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.set_ylim(bottom=0.6)
    largest = float(np.abs(weights).max(initial=0.0))
    if largest:
        linear = 10.0 ** np.floor(np.log10(largest / 20))
        axes.set_xscale("symlog", linthresh=linear, linscale=0.6)
        axes.xaxis.set_major_locator(SymmetricalLogLocator(linthresh=linear, base=10))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}".replace("-", "−")))
        axes.set_xlim(-2.5 * largest, 2.5 * largest)


def _label(table: GroupTable, group: int) -> str:
    """The most used rule of a group, by its target side: letters that every font has."""
    members = table.members(group)
    name = readable(table.names[members[0]]).rpartition(" → ")[2]
    if not name.isascii():
        return ""
    short = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
    return short + (f" +{len(members) - 1}" if len(members) > 1 else "")


def _draw_rounds(axes: Axes, rounds: Sequence[Round], metric: str, number: int) -> None:
    """Bars for the groups of every round, those with a weight darker; a line for the score on dev."""
    numbers = [row.round for row in rounds]
    axes.bar(numbers, [row.details.get("groups", 0) for row in rounds], color="#d7dfe6", label="groups")
    active = [row.details.get("active_groups", 0) for row in rounds]
    axes.bar(numbers, active, color="#8fa9bd", label="with a weight")
    axes.set_xlabel("round")
    axes.set_ylabel("groups and features that stand alone")
    axes.set_xticks(numbers if len(numbers) <= 16 else numbers[:: len(numbers) // 8])
    score = axes.twinx()
    score.spines["right"].set_visible(True)
    score.plot(numbers, [row.score for row in rounds], color=ORANGE, marker="o", markersize=4, linewidth=1.6)
    score.set_ylabel(f"{metric} on dev", color=ORANGE)
    best = next((row for row in rounds if row.round == number), None)
    if best is not None:
        score.plot([best.round], [best.score], marker="o", markersize=9, color=ORANGE, fillstyle="none")
    axes.set_title(f"Groups and {metric}, round by round\nring: the round shown on the left", loc="left", pad=12)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2, frameon=False, fontsize=9.5)
