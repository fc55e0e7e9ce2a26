"""Small charts as SVG inside a page: colours of the page, text alternatives, values shown when pointed at.

A chart is as wide as a phone, so that its text has the size of the page's; wider screens put charts side by side.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tunesmith.evaluation.pages.page import escape

WIDTH, HEIGHT = 320, 190
COLOURS = 8
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 10, 10, 24
_LABELS = 116
"""Room at the right for the names of lines."""

_NARROW, _WIDE = frozenset("fijlrtI.,:;|'[]() "), frozenset("mwMW→&%@")

Show = Callable[[float], str]


@dataclass(frozen=True)
class Line:
    """A named line through points; y is None where there is none, and the line is broken there."""

    name: str
    points: Sequence[tuple[float, float | None]]


@dataclass(frozen=True)
class Chart:
    """A figure: its title, what it shows in words, and how numbers are written."""

    title: str
    about: str = ""
    show: Show = lambda value: f"{value:g}"
    x_name: str = "round"


def line_chart(
    chart: Chart, lines: Sequence[Line], *, marked: float | None = None, level: float | None = None,
    names_at_ends: bool = False,
) -> str:  # fmt: skip
    """Lines over rounds. marked: an x that is marked on every line.   level: a dotted horizontal line."""
    known = [(x, y) for line in lines for x, y in line.points if _finite(y)]
    if not known:
        return _figure(chart, "", f'<p class="missing">{escape("no numbers to draw")}</p>')
    xs = [float(x) for x, _ in known]
    ys = [float(y) for _, y in known if y is not None]
    low, high = _spread(min(ys), max(ys)) if level is None else _spread(min(*ys, level), max(*ys, level))
    height = HEIGHT if not names_at_ends else max(HEIGHT, 15 * len(lines) + _TOP + _BOTTOM)
    right = _LABELS if names_at_ends else _RIGHT
    frame = _Frame(min(xs), max(xs), low, high, height, right)
    parts = [*_axes(frame, chart)]
    if level is not None:
        parts.append(
            f'<line x1="{_LEFT}" x2="{WIDTH - right}" y1="{frame.y(level):.1f}" y2="{frame.y(level):.1f}" '
            'stroke="var(--faint)" stroke-dasharray="2 3"/>'
        )
    ends = []
    for at, line in enumerate(lines):
        colour, dashes = _colour(at), ' stroke-dasharray="5 3"' if at >= COLOURS else ""
        for piece in _pieces(line.points):
            path = " ".join(f"{frame.x(x):.1f},{frame.y(y):.1f}" for x, y in piece)
            parts.append(
                f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" '
                f'stroke-linejoin="round" stroke-linecap="round"{dashes}/>'
            )
        for x, y in ((x, float(y)) for x, y in line.points if y is not None and _finite(y)):
            told = f"{chart.x_name} {x:g}: {line.name} {chart.show(y)}"
            best = marked is not None and x == marked
            look = 'r="4.5" fill="var(--card)" stroke-width="2"' if best else 'r="2.2"'
            fill = "" if best else f' fill="{colour}"'
            parts.append(
                f'<circle cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" {look}{fill} stroke="{colour}">'
                f"<title>{escape(told)}</title></circle>"
            )
        last = next(((x, y) for x, y in reversed(line.points) if _finite(y)), None)
        if last is not None and last[1] is not None:
            ends.append((frame.y(last[1]), line.name, colour))
    if names_at_ends:
        parts += _end_labels(ends, height)
        legend = ""
    else:
        legend = _legend([line.name for line in lines]) if len(lines) > 1 else ""
    told = "; ".join(_summary(line, chart.show) for line in lines[:COLOURS])
    return _figure(chart, legend, _svg(parts, height, f"{chart.title}. {told}"))


def bar_chart(chart: Chart, names: Sequence[str], bars: Mapping[float, Sequence[float]]) -> str:
    """Stacked bars: for each x the values of the names, from the bottom up."""
    heights = [sum(values) for values in bars.values()]
    if not heights or not max(heights) > 0:
        return _figure(chart, "", f'<p class="missing">{escape("no numbers to draw")}</p>')
    frame = _Frame(min(bars) - 0.6, max(bars) + 0.6, 0.0, _spread(0.0, max(heights))[1], HEIGHT, _RIGHT)
    parts = [*_axes(frame, chart, list(bars))]
    width = min(26.0, 0.72 * (WIDTH - _LEFT - _RIGHT) / (max(bars) - min(bars) + 1.2))
    for x, values in bars.items():
        below = 0.0
        for at, value in enumerate(values):
            if value > 0:
                top, bottom = frame.y(below + value), frame.y(below)
                told = f"{chart.x_name} {x:g}: {names[at]} {chart.show(value)}"
                parts.append(
                    f'<rect x="{frame.x(x) - width / 2:.1f}" y="{top:.1f}" width="{width:.1f}" '
                    f'height="{max(bottom - top, 0.4):.1f}" fill="{_colour(at)}">'
                    f"<title>{escape(told)}</title></rect>"
                )
                below += value
    told = "; ".join(f"{chart.x_name} {x:g}: {chart.show(sum(values))}" for x, values in bars.items())
    legend = _legend(names) if len(names) > 1 else ""
    return _figure(chart, legend, _svg(parts, HEIGHT, f"{chart.title}. {told}"))


def scatter_chart(chart: Chart, points: Sequence[tuple[float, float, str]], y_name: str) -> str:
    """Points (x above 0 on a logarithmic scale, y, what it is)."""
    known = [(math.log10(x), y, text) for x, y, text in points if x > 0 and _finite(y)]
    if not known:
        return _figure(chart, "", f'<p class="missing">{escape("no numbers to draw")}</p>')
    xs, ys = [x for x, _, _ in known], [y for _, y, _ in known]
    low, high = _spread(min(0.0, *ys), max(0.0, *ys))
    frame = _Frame(min(xs) - 0.1, max(xs) + 0.1, low, high, HEIGHT, _RIGHT)
    parts = [*_y_axis(frame), *_x_ticks(frame, _log_ticks(frame.left, frame.right), chart.x_name)]
    for x, y, text in known:
        parts.append(
            f'<circle cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" r="3.2" fill="var(--c1)" fill-opacity="0.6">'
            f"<title>{escape(text)}</title></circle>"
        )
    told = f"{chart.title}. {len(known)} points; {y_name} from {chart.show(min(ys))} to {chart.show(max(ys))}"
    return _figure(chart, "", _svg(parts, HEIGHT, told))


@dataclass(frozen=True)
class _Frame:
    """From numbers to places in the picture."""

    left: float
    right: float
    low: float
    high: float
    height: int
    margin: int

    def x(self, value: float) -> float:
        width = WIDTH - _LEFT - self.margin
        span = self.right - self.left
        return _LEFT + width * ((value - self.left) / span if span > 0 else 0.5)

    def y(self, value: float) -> float:
        return self.height - _BOTTOM - (self.height - _TOP - _BOTTOM) * (value - self.low) / (self.high - self.low)


def _axes(frame: _Frame, chart: Chart, places: Sequence[float] | None = None) -> list[str]:
    if places is None:
        found = [value for value in ticks(frame.left, frame.right, 6) if value == int(value)]
    else:
        found = [x for at, x in enumerate(places) if at % (1 + len(places) // 9) == 0]
    return [*_y_axis(frame), *_x_ticks(frame, [(x, f"{x:g}") for x in found], chart.x_name)]


def _y_axis(frame: _Frame) -> list[str]:
    parts = []
    values = ticks(frame.low, frame.high, 6)
    for value, text in zip(values, tick_labels(values), strict=True):
        y = frame.y(value)
        parts.append(
            f'<line x1="{_LEFT}" x2="{WIDTH - frame.margin}" y1="{y:.1f}" y2="{y:.1f}" stroke="var(--line)"/>'
            f'<text x="{_LEFT - 6}" y="{y + 3.5:.1f}" text-anchor="end" fill="var(--soft)">'
            f"{escape(text)}</text>"
        )
    return parts


def _log_ticks(left: float, right: float) -> list[tuple[float, str]]:
    """Powers of ten, and 2 and 5 times them where there are few."""
    factors = (1, 2, 5) if right - left < 2.5 else (1,)
    every = [
        factor * 10**power
        for power in range(math.floor(left), math.ceil(right) + 1)
        for factor in factors
        if power >= 0
    ]
    return [(math.log10(value), f"{value:,}") for value in every if left <= math.log10(value) <= right]


def _x_ticks(frame: _Frame, places: Sequence[tuple[float, str]], name: str) -> list[str]:
    bottom = frame.height - 8
    parts = [
        f'<text x="{frame.x(x):.1f}" y="{bottom}" text-anchor="middle" fill="var(--soft)">{escape(text)}</text>'
        for x, text in places
    ]
    return [*parts, f'<text x="0" y="{bottom}" fill="var(--soft)">{escape(name)}</text>']


def _end_labels(ends: list[tuple[float, str, str]], height: int) -> list[str]:
    """Names at the ends of lines, moved apart where they would lie on each other."""
    step, bottom = 14.0, height - _BOTTOM + 4.0
    ordered = sorted(ends)
    places: list[float] = []
    for y, _, _ in ordered:
        places.append(max(y, places[-1] + step if places else _TOP))
    limit = bottom
    for at in reversed(range(len(places))):  # what went over the bottom goes up again, pushing the others
        places[at] = min(places[at], limit)
        limit = places[at] - step
    return [
        f'<text x="{WIDTH - _LABELS + 8}" y="{y + 3.5:.1f}" fill="{colour}">'
        f"{escape(_short(name))}<title>{escape(name)}</title></text>"
        for y, (_, name, colour) in zip(places, ordered, strict=True)
    ]


def _short(name: str, limit: float = 14.0) -> str:
    """What fits next to a chart, in widths of a small letter of a wide font; Chinese and the like have two."""
    width = 0.0
    for at, character in enumerate(name):
        if unicodedata.east_asian_width(character) in "WF":
            width += 2.0
        else:
            width += 0.65 if character in _NARROW else 1.5 if character in _WIDE else 1.0
        if width > limit:
            return name[:at].rstrip() + "…"
    return name


def _legend(names: Sequence[str]) -> str:
    items = "".join(
        f'<span><i style="background:{_colour(at)}"></i>{escape(name)}</span>' for at, name in enumerate(names)
    )
    return f'<div class="legend">{items}</div>'  # fmt: skip


def _figure(chart: Chart, legend: str, picture: str) -> str:
    about = f"<figcaption>{escape(chart.about)}</figcaption>" if chart.about else ""
    return f"<figure><h3>{escape(chart.title)}</h3>{legend}{picture}{about}</figure>"


def _svg(parts: Sequence[str], height: int, told: str) -> str:
    return f'<svg viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(told)}">{"".join(parts)}</svg>'


def _summary(line: Line, show: Show) -> str:
    values = [(x, float(y)) for x, y in line.points if y is not None and _finite(y)]
    if not values:
        return f"{line.name}: nothing"
    return f"{line.name} from {show(values[0][1])} to {show(values[-1][1])}"


def _pieces(points: Sequence[tuple[float, float | None]]) -> list[list[tuple[float, float]]]:
    """Runs of points that are all there."""
    found: list[list[tuple[float, float]]] = [[]]
    for x, y in points:
        if y is not None and _finite(y):
            found[-1].append((x, y))
        elif found[-1]:
            found.append([])
    return [piece for piece in found if len(piece) > 1]


def _colour(at: int) -> str:
    return f"var(--c{at % COLOURS + 1})"


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _spread(low: float, high: float) -> tuple[float, float]:
    """The range that is drawn: a little air on both sides, and never empty."""
    air = 0.06 * (high - low) or max(0.05 * abs(high), 1e-9)
    return (0.0 if low == 0.0 else low - air), high + air


def ticks(low: float, high: float, wanted: int) -> list[float]:
    """Round numbers from low to high, about as many as wanted: steps of 1, 2 or 5 times a power of ten."""
    span = high - low
    if not (span > 0 and math.isfinite(span)):
        return [low] if math.isfinite(low) else []
    power = 10.0 ** math.floor(math.log10(span / wanted))
    step = next(factor * power for factor in (1, 2, 5, 10) if span / (factor * power) <= wanted + 0.5)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [round(number * step, 12) + 0.0 for number in range(first, last + 1)]


def tick_labels(values: Sequence[float]) -> list[str]:
    """The numbers with as many digits as tell them apart, no more."""
    step = min((b - a for a, b in pairwise(values)), default=0.0)
    digits = 0 if step <= 0 else max(0, -math.floor(math.log10(step) + 1e-6))
    if digits > 4 or max(map(abs, values), default=0.0) >= 1e6:
        return [f"{value:.3g}" for value in values]
    return [f"{value:,.{digits}f}" for value in values]
