"""A picture of groups: weights against sizes, and how their number went with the score, round by round."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tunesmith.evaluation.pages.pictures import BLUE, GREY, ORANGE, save_picture
from tunesmith.evaluation.pages.scales import axis_range, log_ticks
from tunesmith.features.names import readable
from tunesmith.io import StrPath
from tunesmith.metrics.base import Floats
from tunesmith.tuning.loop.history import Round
from tunesmith.tuning.runs.group_files import Counts, GroupTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

_NAMED, _LONGEST, _INK = 8, 22, "#333333"
_COLOURS = (BLUE, ORANGE, "#5b8c5a", "#8a6bb1", GREY)


def save_group_plot(
    path: StrPath, table: GroupTable, rounds: Sequence[Round], *, metric: str, number: int
) -> None:
    """Draw and write the file.

    number: the round whose groups these are.   metric: the name of the score.
    """
    save_picture(path, lambda: draw_groups(table, rounds, metric=metric, number=number))


def draw_groups(table: GroupTable, rounds: Sequence[Round], *, metric: str, number: int) -> Figure:
    """Return the figure: groups of one round, and all rounds."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(11.5, 5.4), layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1))
    groups, course = figure.subplots(1, 2, width_ratios=[1.45, 1])
    if table.shares is None:
        _draw_sizes(groups, table, number)
    else:
        _draw_shares(groups, table, table.shares, number)
    _draw_rounds(course, [row for row in rounds if row.round], metric, number)
    if table.shares is None:
        _name_groups(groups, table)
    return figure


def _draw_sizes(axes: Axes, table: GroupTable, number: int) -> None:
    """Draw a bubble for each group: weight, size, and by its area the training sentences that it fires in."""
    grouped = np.flatnonzero(~table.alone)
    weights, sizes, train = table.weights[grouped], table.sizes[grouped], table.train[grouped]
    areas = 14 + 260 * np.sqrt(train / max(int(train.max(initial=0)), 1))
    heights = _heights(sizes)
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
    _scale(axes, weights, int(sizes.max(initial=1)))
    axes.set_xlabel("weight of the group, as tuned on dev")
    axes.set_ylabel("features in the group (scattered a little)")
    axes.grid(color="#ececec", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_title(
        f"{len(sizes)} groups of {int(sizes.sum())} features in round {number}\n"
        "area: sentences of the training data where a group fires", loc="left", pad=12
    )  # fmt: skip
    legend = axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3, frameon=False, fontsize=9.5)
    for handle in legend.legend_handles:
        handle.set_sizes([45])  # type: ignore[union-attr]


def _heights(sizes: Counts) -> Floats:
    """Return heights of groups by their size, scattered so that groups of one size lie apart."""
    return np.asarray(sizes * 1.08 ** np.random.default_rng(1).uniform(-1, 1, len(sizes)), dtype=np.float64)


def _name_groups(axes: Axes, table: GroupTable) -> None:
    """Write the most used rule next to the groups that tell most, where there is room for it.

    A name that would lie on another one or on a bubble, or leave the picture, is tried on each side of its bubble,
    then left out.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(axes.get_figure(root=True))
    canvas.draw()  # type: ignore[no-untyped-call]  # sizes of text are known only after the layout is
    grouped = np.flatnonzero(~table.alone)
    weights, sizes, train = table.weights[grouped], table.sizes[grouped], table.train[grouped]
    heights = _heights(sizes)
    telling = np.abs(weights) * np.sqrt(train) * sizes * (sizes > 1)  # a group of one is no group yet
    frame = axes.get_window_extent()
    bubbles = axes.transData.transform(np.column_stack((weights, heights)))
    taken: list[Bbox] = []
    renderer = canvas.get_renderer()  # type: ignore[no-untyped-call]
    for at in np.argsort(-telling, kind="stable")[: 3 * _NAMED].tolist():
        label = _label(table, int(grouped[at])) if weights[at] and sizes[at] > 1 else ""
        if not label or len(taken) == _NAMED:
            continue
        for x, y in ((7, 5), (-7, 5), (7, -12), (-7, -12), (0, 11), (0, -18)):
            text = axes.annotate(
                label, (weights[at], heights[at]), xytext=(x, y), textcoords="offset points", fontsize=8.5,
                color="#333333", zorder=4, ha="left" if x > 0 else "right" if x < 0 else "center",
            )  # fmt: skip
            box = text.get_window_extent(renderer).padded(2)
            inside = frame.x0 <= box.x0 and box.x1 <= frame.x1 and frame.y0 <= box.y0 and box.y1 <= frame.y1
            free = not any(box.overlaps(other) for other in taken) and not box.count_contains(bubbles)
            if inside and free:
                taken.append(box)
                break
            text.remove()


def _draw_shares(axes: Axes, table: GroupTable, shares: Floats, number: int) -> None:
    """Draw how many features of each template have which share of their group, in bins."""
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


def _scale(axes: Axes, weights: Floats, largest_size: int) -> None:
    """Set logarithmic axes: sizes and weights span orders of magnitude, weights on both sides of 0."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator, SymmetricalLogLocator

    axes.set_yscale("log")
    some = [10**place for place, _ in log_ticks(0.0, np.log10(1.5 * largest_size))]
    axes.yaxis.set_major_locator(FixedLocator(range(1, 10) if largest_size < 10 else some))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylim(bottom=0.6, top=max(1.5 * largest_size, 3.0))
    largest = float(np.abs(weights).max(initial=0.0))
    if largest:
        linear = 10.0 ** np.floor(np.log10(largest / 20))
        axes.set_xscale("symlog", linthresh=linear, linscale=0.6)
        axes.xaxis.set_major_locator(SymmetricalLogLocator(linthresh=linear, base=10))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}".replace("-", "−")))
        axes.set_xlim(-2.5 * largest, 2.5 * largest)


def _label(table: GroupTable, group: int) -> str:
    """Return the most used rule of a group, by its target side: letters that every font has."""
    members = table.members(group)
    name = readable(table.names[members[0]]).rpartition(" → ")[2]
    if not name.isascii():
        return ""
    short = name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…"
    return short + (f" +{len(members) - 1}" if len(members) > 1 else "")


def _draw_rounds(axes: Axes, rounds: Sequence[Round], metric: str, number: int) -> None:
    """Draw bars for the groups of every round, darker for groups with a weight, and a line for dev scores."""
    numbers = [row.round for row in rounds]
    axes.bar(numbers, [row.details.get("groups", 0) for row in rounds], color="#d7dfe6", label="groups")
    active = [row.details.get("active_groups", 0) for row in rounds]
    axes.bar(numbers, active, color="#8fa9bd", label="with a weight")
    axes.set_xlabel("round")
    axes.set_ylabel("groups and features that stand alone")
    axes.set_xticks(numbers if len(numbers) <= 16 else numbers[:: len(numbers) // 8])
    score = axes.twinx()
    score.spines["right"].set_visible(True)
    score.plot(numbers, [row.score for row in rounds], color=_INK, marker="o", markersize=4, linewidth=1.6)
    if rounds:
        scores = [row.score for row in rounds]
        score.set_ylim(*axis_range(min(scores), max(scores)))
    score.set_ylabel(f"{metric} on dev", color=_INK)
    best = next((row for row in rounds if row.round == number), None)
    if best is not None:
        score.plot([best.round], [best.score], marker="o", markersize=9, color=_INK, fillstyle="none")
    axes.set_title(f"Groups and {metric}, round by round\nring: the round shown on the left", loc="left", pad=12)
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=2, frameon=False, fontsize=9.5)
