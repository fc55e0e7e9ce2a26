"""The pictures of docs/research/decoding.md: mean model score against speed, next to the peers.

python benchmarks/speed_decode.py --picture docs/pictures/decoding-curve.svg
python benchmarks/decode_picture.py LINES.jsonl docs/pictures/decoding-curve.svg    # of a run that was kept
python benchmarks/decode_picture.py LINES.jsonl docs/pictures/phrase-decoding-curve.svg
"""

from __future__ import annotations

import io
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from tunesmith.io import atomic_writer, read_lines

# Light colour → its dark twin. The picture has its own ground, so it can be read on a page of any colour.
GROUND, INK, MUTED, GRID = "#fdfdfe", "#1f2933", "#66717e", "#e3e7eb"
OURS, MOSES2, MOSES = "#0b6bcb", "#c2410c", "#7a5195"
DARK = {GROUND: "#11161d", INK: "#e8edf2", MUTED: "#9aa6b2", GRID: "#2b333d",
        OURS: "#5ab0ff", MOSES2: "#ff9a5c", MOSES: "#c9a2e6"}  # fmt: skip
STYLE: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "decoding-curve",
    "font.family": "sans-serif",
    "font.sans-serif": ["Helvetica", "Arial", "DejaVu Sans"],
    "font.size": 11,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": GRID,
    "axes.facecolor": GROUND,
    "figure.facecolor": GROUND,
    "savefig.facecolor": GROUND,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
}


@dataclass(frozen=True)
class Setting:
    """What differs between the pictures.

    scores, speeds: the borders.   limits: pop limits of the points of the peers.   arrows: scores of Moses2 from
    which an arrow leads to us.   places: of the names of the decoders.
    """

    sentences: int
    scores: tuple[float, float]
    speeds: tuple[float, float]
    limits: tuple[int, ...]
    arrows: tuple[float, ...]
    places: tuple[tuple[float, float], tuple[float, float], tuple[float, float]]


# By the name of the benchmark. Our smallest pop limits lie below.
SETTINGS = {
    "decode": Setting(300, (-33.715, -33.627), (5.5, 1500), (10, 30, 100, 300, 1000),
                      (-33.7071, -33.6642, -33.6450, -33.6360), ((580, -33.6490), (165, -33.6975), (38, -33.682))),
    "phrase_decoding": Setting(1000, (-36.2165, -36.2008), (10, 4200), (100, 500, 2000),
                               (-36.2088, -36.2020),
                               ((1100, -36.2050), (470, -36.2115), (125, -36.2105))),
}  # fmt: skip


def draw(
    ours: dict[int, dict[str, Any]], ratio: dict[str, Any], path: Path, setting: Setting = SETTINGS["decode"]
) -> None:
    """Write an SVG file. `ours`: the lines of the pop limits; `ratio`: the line that compares with the peers."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8.6, 5.2))
        axes = figure.add_axes((0.085, 0.175, 0.89, 0.635))
        _grid(axes, setting)
        peers = {"Moses2": (MOSES2, "s"), "Moses": (MOSES, "^")}
        for name, (colour, marker) in peers.items():
            points = [point for point in ratio["points"] if point["peer"] == name]
            speeds = [setting.sentences / point["here_cpu_seconds"] for point in points]
            scores = [point["mean_model_score"] for point in points]
            limits = list(setting.limits[-len(points) :])
            _curve(axes, speeds, scores, limits, colour, marker, below=True)
        speeds = [setting.sentences / point["cpu_seconds"] for point in ours.values()]
        _curve(axes, speeds, [point["mean_model_score"] for point in ours.values()], list(ours), OURS, "o")
        for score in setting.arrows:
            _advantage(axes, ratio, "Moses2", score, setting.sentences)
        _words(figure, axes, ratio, setting)
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None})
    with atomic_writer(path) as file:
        file.write(with_dark_twin(text.getvalue()))


def _grid(axes: Axes, setting: Setting) -> None:
    axes.set_xscale("log")
    axes.set_xlim(*setting.speeds)
    axes.set_ylim(*setting.scores)
    ticks = [tick for tick in (10, 30, 100, 300, 1000, 3000) if tick < setting.speeds[1]]
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.grid(color=GRID, linewidth=0.8)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    axes.spines[["top", "right", "left"]].set_visible(False)


def _curve(axes: Axes, speeds: list[float], scores: list[float], limits: list[int], colour: str, marker: str,
           below: bool = False) -> None:  # fmt: skip
    axes.plot(speeds, scores, color=colour, marker=marker, linewidth=2.2, markersize=6.5, markeredgecolor=GROUND)
    for speed, score, limit in zip(speeds, scores, limits, strict=True):
        if score < axes.get_ylim()[0]:
            continue
        axes.annotate(str(limit), (speed, score), (-5, -7) if below else (5, 5), textcoords="offset points",
                      ha="right" if below else "left", va="top" if below else "bottom",
                      fontsize=9, color=colour)  # fmt: skip


def _advantage(axes: Axes, ratio: dict[str, Any], peer: str, score: float, sentences: int) -> None:
    """An arrow from a point of a peer to our curve at the same score."""
    (point,) = (p for p in ratio["points"] if p["peer"] == peer and p["mean_model_score"] == score)
    if point["our_cpu_seconds"] is None:
        return
    start = sentences / point["here_cpu_seconds"]
    end = sentences / point["our_cpu_seconds"]
    axes.annotate("", (end, score), (start, score), arrowprops={"arrowstyle": "-|>", "color": MUTED,
                  "linewidth": 1.2, "shrinkA": 6, "shrinkB": 2})  # fmt: skip
    axes.annotate(f"{point['times_faster_scaled']:.1f} ×", (start**0.65 * end**0.35, score), (0, 3), va="bottom",
                  textcoords="offset points", ha="center", fontsize=10, color=INK)  # fmt: skip


def _words(figure: Figure, axes: Axes, ratio: dict[str, Any], setting: Setting) -> None:
    figure.text(0.025, 0.935, "Better derivations in less time", fontsize=17, fontweight="bold")
    same = f"The same model and {setting.sentences} sentences in three decoders. Numbers at points are pop limits."
    figure.text(0.025, 0.885, same, fontsize=10.5, color=MUTED)
    figure.text(0.025, 0.83, "mean model score ↑", fontsize=10.5)
    axes.set_xlabel("sentences per CPU second, one thread, without loading →", fontsize=10.5, loc="right")
    names = (("TuneSMiTh", OURS), ("Moses2", MOSES2), ("Moses", MOSES))
    for (name, colour), place in zip(names, setting.places, strict=True):
        axes.text(*place, name, color=colour, fontsize=14, fontweight="bold")
    recorded = sorted({point["peer"] for point in ratio["points"] if not point["measured"]})
    peers = f"{', '.join(recorded)}: recorded runs, times scaled by {ratio['scaled']:.2f} to this machine."
    figure.text(0.025, 0.025, peers, fontsize=9, color=MUTED)


def with_dark_twin(svg: str) -> str:
    """The picture with the colours of DARK where a page is dark."""
    rules = "".join(
        f'[style*="{kind}: {light}"]{{{kind}:{dark}!important}}'
        for light, dark in DARK.items()
        for kind in ("fill", "stroke")
    )
    style = f"<style>@media (prefers-color-scheme: dark){{{rules}}}</style>\n"
    head, found, rest = svg.partition("<defs>")
    lines = (head + style + found + rest).splitlines()
    return "\n".join(line.rstrip() for line in lines) + "\n"


def main() -> None:
    lines, path = sys.argv[1:]
    found = [json.loads(line) for line in read_lines(lines)]
    name = found[0]["benchmark"]
    ours = {line["pop_limit"]: line for line in found if line["benchmark"] == name}
    (ratio,) = (line for line in found if line["benchmark"] == f"{name}_ratio")
    draw(ours, ratio, Path(path), SETTINGS[name])


if __name__ == "__main__":
    main()
