"""Parts of charts: a frame with axes, a figure for a page, a separate SVG file."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tunesmith.evaluation.pages.labels import short, text_width
from tunesmith.evaluation.pages.page import LIGHT, escape
from tunesmith.evaluation.pages.scales import Tick

WIDTH, HEIGHT = 320, 204
LEFT, RIGHT, TOP, BOTTOM = 46, 12, 10, 38
COLOURS = 8
_LINE, _GAP = 17, 18

Show = Callable[[float], str]


@dataclass(frozen=True)
class Chart:
    """Texts and number format of a figure.   least: the smallest range of the vertical axis."""

    title: str
    about: str = ""
    show: Show = lambda value: f"{value:g}"
    x_name: str = "round"
    least: float = 0.0


@dataclass(frozen=True)
class Figure:
    """A chart: its texts, names with colours, and the SVG (None without data)."""

    chart: Chart
    svg: str
    height: int
    legend: Sequence[tuple[str, str]] = ()

    @property
    def html(self) -> str:
        about = f"<figcaption>{escape(self.chart.about)}</figcaption>" if self.chart.about else ""
        items = "".join(
            f'<span><i style="background:{colour}"></i>{escape(name)}</span>' for name, colour in self.legend
        )
        legend = f'<div class="legend">{items}</div>' if items else ""
        inside = self.svg or f'<p class="missing">{escape("no numbers to draw")}</p>'
        return f"<figure><h3>{escape(self.chart.title)}</h3>{legend}{inside}{about}</figure>"


def grid(figures: Sequence[Figure], kind: str = "") -> str:
    """Lay out figures side by side, by the width of the screen.   kind: `pair` for larger figures."""
    classes = f"grid {kind}".strip()
    return f'<div class="{classes}">{"".join(each.html for each in figures)}</div>'


def svg_file(figures: Sequence[Figure], columns: int = 2) -> str:
    """Make one SVG file of the figures in light colours, in this number of columns."""
    columns = max(1, min(columns, len(figures)))
    parts: list[str] = []
    top = float(_GAP)
    for start in range(0, len(figures), columns):
        row = [
            _cell(each, _GAP + at * (WIDTH + _GAP), top)
            for at, each in enumerate(figures[start : start + columns])
        ]
        parts += [text for text, _ in row]
        top += max(height for _, height in row) + _GAP
    width = columns * (WIDTH + _GAP) + _GAP
    size = f'width="{width}" height="{top:.0f}" viewBox="0 0 {width} {top:.0f}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} '
        f'font-family="system-ui, sans-serif" font-size="12"><style>svg {{ {LIGHT} }}</style>'
        f'<rect width="100%" height="100%" fill="#ffffff"/>{"".join(parts)}</svg>\n'
    )


def _cell(figure: Figure, x: float, y: float) -> tuple[str, float]:
    """Draw a figure with title, legend and caption as SVG text; returns its height too."""
    lines = [("600", "var(--ink)", text) for text in textwrap.wrap(figure.chart.title, 44)]
    lines += [("400", colour, f"– {short(name, 42)}") for name, colour in figure.legend]
    below = [("400", "var(--soft)", text) for text in textwrap.wrap(figure.chart.about, 50)]
    middle = len(lines) * _LINE
    height = middle + figure.height + len(below) * _LINE
    places = [_LINE * (at + 0.7) for at in range(len(lines))]
    places += [middle + figure.height + _LINE * (at + 0.7) for at in range(len(below))]
    texts = "".join(
        f'<text y="{place:.1f}" font-weight="{weight}" fill="{colour}">{escape(text)}</text>'
        for place, (weight, colour, text) in zip(places, lines + below, strict=True)
    )
    inside = figure.svg.replace("<svg ", f'<svg y="{middle}" width="{WIDTH}" height="{figure.height}" ', 1)
    return f'<g transform="translate({x:.0f} {y:.0f})">{texts}{inside}</g>', float(height)


@dataclass(frozen=True)
class Frame:
    """Mapping from numbers to positions in the picture."""

    left: float
    right: float
    low: float
    high: float
    height: int = HEIGHT
    margin: int = RIGHT

    def x(self, value: float) -> float:
        width = WIDTH - LEFT - self.margin
        span = self.right - self.left
        return LEFT + width * ((value - self.left) / span if span > 0 else 0.5)

    def y(self, value: float) -> float:
        return self.height - BOTTOM - (self.height - TOP - BOTTOM) * (value - self.low) / (self.high - self.low)


def axes(frame: Frame, x_ticks: Sequence[Tick], y_ticks: Sequence[Tick], x_name: str) -> list[str]:
    """Draw horizontal lines with their numbers, numbers below, and the name of the x axis."""
    parts = []
    for value, text in y_ticks:
        y = frame.y(value)
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - frame.margin}" y1="{y:.1f}" y2="{y:.1f}" stroke="var(--line)"/>'
            f'<text x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end" fill="var(--soft)">{escape(text)}</text>'
        )
    end = 0.0
    for value, text in x_ticks:
        half, x = text_width(text) / 2, frame.x(value)
        x = min(max(x, half), WIDTH - half)
        if x - half < end:  # it would overlap the previous label
            continue
        end = x + half + 4
        parts.append(
            f'<text x="{x:.1f}" y="{frame.height - 21}" text-anchor="middle" fill="var(--soft)">'
            f"{escape(text)}</text>"
        )
    middle = (LEFT + WIDTH - frame.margin) / 2
    name = escape(short(x_name, 30))
    return [
        *parts,
        f'<text x="{middle:.1f}" y="{frame.height - 5}" text-anchor="middle" fill="var(--soft)">{name}</text>',
    ]


def svg(parts: Sequence[str], height: int, told: str) -> str:
    """Make the picture, with a text alternative."""
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(told)}">{"".join(parts)}</svg>'


def colour(at: int) -> str:
    return f"var(--c{at % COLOURS + 1})"


def finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)
