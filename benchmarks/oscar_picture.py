"""The picture of docs/research/oscar.md: weights that fall, meet and die along S; and what a step costs.

python benchmarks/speed_oscar.py --picture docs/pictures/oscar-paths.svg
"""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from decode_picture import GRID, GROUND, INK, MOSES2, MUTED, OURS, STYLE, with_dark_twin
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tunesmith import _core
from tunesmith.io import atomic_writer

WEIGHTS, MORE, L2 = 14, 2, 0.004  # d = WEIGHTS + MORE
LONGEST = 22.0


def draw(measured: dict[str, Any], path: Path) -> None:
    """Write an SVG file; `measured` are the fields of the benchmark."""
    with mpl.rc_context({**STYLE, "svg.hashsalt": "oscar-paths"}):
        figure = Figure(figsize=(9.6, 5.0))
        _paths(figure.add_axes((0.06, 0.13, 0.50, 0.64)))
        _cost(figure.add_axes((0.655, 0.13, 0.325, 0.64)), measured)
        figure.text(0.025, 0.925, "Weights that meet stay together", fontsize=17, fontweight="bold")
        about = "OSCAR's proximity operator moves groups along straight lines: only meetings and deaths cost work."
        figure.text(0.025, 0.87, about, fontsize=10.5, color=MUTED)
        figure.text(0.025, 0.80, "|w|", fontsize=10.5)
        figure.text(0.62, 0.80, "microseconds a step", fontsize=10.5)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    with atomic_writer(path) as file:
        file.write(with_dark_twin(text.getvalue()))


def _plain(axes: Axes) -> None:
    axes.grid(color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _paths(axes: Axes) -> None:
    """Exact paths: thicker where a group has more members."""
    start = np.sort(np.random.default_rng(4).uniform(0.12, 1.0, WEIGHTS))[::-1].copy()
    times = np.linspace(0, LONGEST, 800)
    values = np.array([_core.prox_oscar(start, WEIGHTS + MORE, 0.0, L2, float(time)) for time in times])
    sizes = (np.abs(values[:, :, None] - values[:, None, :]) < 1e-12).sum(axis=2)
    _plain(axes)
    for weight in range(WEIGHTS):
        alive = values[:, weight] > 0
        for size in np.unique(sizes[alive, weight]):
            part = alive & (sizes[:, weight] == size)
            axes.plot(times[part], values[part, weight], color=OURS, linewidth=0.8 + 0.55 * float(size),
                      solid_capstyle="round")  # fmt: skip
        if not alive.all():
            axes.plot(times[alive][-1], 0, "o", color=MOSES2, markersize=4.5, markeredgecolor=GROUND, zorder=3)
    axes.set_xlim(0, LONGEST)
    axes.set_ylim(0, 1.03)
    axes.set_xlabel("S, the sum of proximal steps →", fontsize=10.5, loc="right")


def _cost(axes: Axes, measured: dict[str, Any]) -> None:
    """Against d, which does not matter, and against the number of groups, which does a little."""
    _plain(axes)
    axes.set_xscale("log")
    axes.set_yscale("log")
    lines = [
        ("d features", [(each["d"], each["microseconds_a_step"]) for each in measured["by_dimension"]], OURS, "o"),
        (
            "M groups",
            [(each["groups"], each["blocks"]["microseconds_a_step"]) for each in measured["by_groups"]],
            INK,
            "s",
        ),
        (
            "M groups, one array",
            [(each["groups"], each["one_sorted_array"]["microseconds_a_step"]) for each in measured["by_groups"]],
            MUTED,
            "^",
        ),
        (
            "printed algorithm",
            [(each["active"], each["literal"]["microseconds_a_step"]) for each in measured["against_literal"]],
            MOSES2,
            "D",
        ),
    ]
    for name, points, colour, marker in lines:
        x, y = zip(*points, strict=True)
        axes.plot(x, y, color=colour, marker=marker, linewidth=2, markersize=6, markeredgecolor=GROUND)
        place, side = {OURS: ((0, 8), "right"), MOSES2: ((-6, 9), "right")}.get(colour, ((9, -4), "left"))
        axes.annotate(name, (x[-1], y[-1]), place, textcoords="offset points", ha=side, fontsize=10, color=colour)
    axes.set_ylim(0.3, 3000)
    axes.set_xlabel("d, M or active weights →", fontsize=10.5, loc="right")
