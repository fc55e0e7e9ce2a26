"""Pictures in the style of our pages."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tunesmith.errors import MissingExtraError
from tunesmith.evaluation.bootstrap import Interval
from tunesmith.io import atomic_writer
from tunesmith.io.inside import inside

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK = "#123457"
"""Text and axes; replaced by the colour of the text around the picture, so that it suits light and dark pages."""
DEVTEST, TEST, BAD = "#8d99ae", "#e07a1f", "#3d8bd4"
_STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",
    "font.size": 10.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": 11.5,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
    "svg.hashsalt": "tunesmith",
    "svg.fonttype": "path",
}

Draw = Callable[["Figure"], None]


@dataclass(frozen=True)
class ScoreRow:
    """A row of a table in a picture: its score on test with an interval.

    marks: other scores of the row.   base: whether it is what the others are compared with.
    """

    label: str
    score: float
    interval: Interval
    marks: Sequence[float]
    colour: str
    base: bool


def write_pictures(folder: Path, pictures: dict[str, str]) -> None:
    """One .svg each; in a file of its own, text is dark grey on white."""
    for name, svg in pictures.items():
        with atomic_writer(inside(folder) / f"{name}.svg") as out:
            out.write(svg.replace("<svg ", '<svg style="background:white;color:#333" ', 1))


def svg_of(size: tuple[float, float], draw: Draw) -> str:
    """A picture in the colours of the text around it: the same numbers give the same bytes."""
    try:
        import matplotlib
    except ImportError:
        raise MissingExtraError("a picture", "matplotlib", "plots") from None
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    usual = {key: value for key, value in matplotlib.rcParamsDefault.items() if key != "backend"}
    style: Any = {**usual, **_STYLE}
    with matplotlib.rc_context(style):
        figure = Figure(figsize=size, layout=ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1))
        draw(figure)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = buffer.getvalue()
    return text[text.index("<svg ") :].replace(INK, "currentColor")


def draw_scores(figure: Figure, rows: Sequence[ScoreRow], explanation: str) -> None:
    """Rows from top to bottom, and a dotted line through the one that others are compared with."""
    axes: Axes = figure.subplots()
    places = range(len(rows) - 1, -1, -1)
    for place, row in zip(places, rows, strict=True):
        axes.plot([row.interval.low, row.interval.high], [place, place], color=row.colour, lw=2.2, alpha=0.5)
        axes.plot(row.marks, [place] * len(row.marks), "|", color=INK, ms=9, mew=1.1)
        axes.plot(row.score, place, "o", color=row.colour, ms=8)
        if row.base:
            axes.axvline(row.score, color=INK, lw=0.8, ls=":")
    axes.set_yticks(places, [row.label for row in rows])
    axes.set_ylim(-0.7, len(rows) - 0.3)
    axes.set_xlabel(explanation, fontsize=9)
    axes.tick_params(axis="y", length=0)
