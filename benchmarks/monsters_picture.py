"""The picture of docs/research/monsters.md: length ratio and BLEU by round, a column for each set of data."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
from decode_picture import GRID, INK, MUTED, STYLE
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tunesmith.io import atomic_writer

COLOURS = {"plain, ψ = 1": "#c2410c", "plain, ψ = 0.1": "#b7791f", "filtered": "#7a5195", "pro": "#0b6bcb"}


def draw(lines: Sequence[dict[str, Any]], path: Path) -> None:
    """Write an SVG file of the lines of quality_monsters.py."""
    names = list(dict.fromkeys(line["data"] for line in lines))
    with mpl.rc_context({**STYLE, "svg.hashsalt": "monsters"}):
        figure = Figure(figsize=(4.3 * len(names), 5.6), layout="constrained")
        grid = figure.subplots(2, len(names), squeeze=False, sharex="col")
        for column, name in enumerate(names):
            mine = [line for line in lines if line["data"] == name]
            words = mine[0]["words_a_sentence"]
            grid[0, column].set_title(f"{name}, {words:.0f} words a sentence", fontsize=11, color=INK)
            _panel(grid[0, column], mine, "dev_length", "length / reference")
            grid[0, column].axhspan(0.8, 1.25, color=GRID, alpha=0.5, zorder=0)
            _panel(grid[1, column], mine, "dev", "BLEU on what is tuned")
            grid[1, column].set_xlabel("round")
            grid[1, column].xaxis.set_major_locator(MaxNLocator(integer=True))
        figure.legend(*grid[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4, frameon=False)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    with atomic_writer(path) as file:
        file.write("\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n")


def _panel(axes: Axes, lines: Sequence[dict[str, Any]], field: str, label: str) -> None:
    """One value by round, a thin line for each run; a run that ended early stays where it was."""
    longest = max(len(line[field]) for line in lines)
    named: set[str] = set()
    for line in lines:
        values = line[field] + [line[field][-1]] * (longest - len(line[field]))
        tuner = line["tuner"]
        axes.plot(values, color=COLOURS[tuner], linewidth=1.3, alpha=0.8, label=None if tuner in named else tuner)
        named.add(tuner)
    axes.set_ylabel(label, color=MUTED)
    axes.grid(color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)
