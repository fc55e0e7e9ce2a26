"""Small charts as SVG inside a page: colours of the page, text alternatives, values as tooltips.

A chart is as wide as a phone, so that its text has the size of the page's; wider screens put charts side by side.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunesmith.evaluation.pages.drawing import (
    BOTTOM,
    COLOURS,
    HEIGHT,
    LEFT,
    RIGHT,
    TOP,
    WIDTH,
    Chart,
    Figure,
    Frame,
    Show,
    axes,
    colour,
    finite,
    svg,
)
from tunesmith.evaluation.pages.labels import short_different
from tunesmith.evaluation.pages.page import escape
from tunesmith.evaluation.pages.scales import Tick, axis_range, linear_ticks, log_ticks, whole_ticks

_LABELS = 116
"""Room at the right for the names of lines."""
_DOTS = 60
"""Lines of more points have no dots."""


@dataclass(frozen=True)
class Line:
    """A named line through points; the line is interrupted where y is None.

    deviations: of the values, drawn as bars; empty if unknown.
    """

    name: str
    points: Sequence[tuple[float, float | None]]
    deviations: Sequence[float] = ()


def line_chart(
    chart: Chart, lines: Sequence[Line], *, marked: float | None = None, level: float | None = None,
    names_at_ends: bool = False, x_labels: Sequence[str] = (), reach: Sequence[float] = (),
) -> Figure:  # fmt: skip
    """Draw lines over rounds, or over the places 0, 1, … named by `x_labels`.

    marked: an x to mark on every line.   level: a dotted horizontal line.   reach: values that the vertical axis
    has in any case.
    """
    known = [(float(x), float(y)) for line in lines for x, y in line.points if y is not None and finite(y)]
    if not known:
        return Figure(chart, "", 0)
    xs = [x for x, _ in known]
    ends_of_bars = [
        y + sign * size
        for line in lines
        for (_, y), size in zip(line.points, line.deviations, strict=False)
        if y is not None and finite(y + size)
        for sign in (-1, 1)
    ]
    ys = [*(y for _, y in known), *ends_of_bars, *(() if level is None else (level,)), *reach]
    low, high = axis_range(min(ys), max(ys), chart.least)
    height = HEIGHT if not names_at_ends else max(HEIGHT, 16 * len(lines) + TOP + BOTTOM)
    air = 0.25 if x_labels else 0.0
    frame = Frame(min(xs) - air, max(xs) + air, low, high, height, _LABELS if names_at_ends else RIGHT)
    below = list(enumerate(x_labels)) if x_labels else whole_ticks(frame.left, frame.right)
    parts = axes(frame, [(float(x), text) for x, text in below], linear_ticks(low, high), chart.x_name)
    if level is not None:
        parts.append(
            f'<line x1="{LEFT}" x2="{WIDTH - frame.margin}" y1="{frame.y(level):.1f}" y2="{frame.y(level):.1f}" '
            'stroke="var(--faint)" stroke-dasharray="2 3"/>'
        )
    for at, line in enumerate(lines):
        parts += _line(frame, chart, line, at, marked, dict(enumerate(x_labels)))
    if names_at_ends:
        parts += _end_labels(frame, lines)
    legend = _legend([line.name for line in lines]) if len(lines) > 1 and not names_at_ends else []
    told = "; ".join(_summary(line, chart.show) for line in lines[:COLOURS])
    return Figure(chart, svg(parts, height, f"{chart.title}. {told}"), height, legend)


def _line(
    frame: Frame, chart: Chart, line: Line, at: int, marked: float | None, names: Mapping[int, str]
) -> list[str]:
    parts = []
    dashes = ' stroke-dasharray="5 3"' if at >= COLOURS else ""
    for piece in _pieces(line.points):
        path = " ".join(f"{frame.x(x):.1f},{frame.y(y):.1f}" for x, y in piece)
        parts.append(
            f'<polyline points="{path}" fill="none" stroke="{colour(at)}" stroke-width="2" '
            f'stroke-linejoin="round" stroke-linecap="round"{dashes}/>'
        )
    for (x, value), size in zip(line.points, line.deviations, strict=False):
        if value is not None and finite(value + size) and size > 0:
            parts.append(
                f'<line x1="{frame.x(x):.1f}" x2="{frame.x(x):.1f}" y1="{frame.y(value - size):.1f}" '
                f'y2="{frame.y(value + size):.1f}" stroke="{colour(at)}" stroke-opacity="0.6"/>'
            )
    for x, y in ((x, float(y)) for x, y in line.points if y is not None and finite(y)):
        place = names.get(int(x), f"{x:g}")
        best = marked is not None and x == marked
        look = 'r="4.5" fill="var(--card)" stroke-width="2"' if best else f'r="2.2" fill="{colour(at)}"'
        parts.append(
            f'<circle cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" {look} stroke="{colour(at)}">'
            f"<title>{escape(f'{chart.x_name} {place}: {line.name} {chart.show(y)}')}</title></circle>"
        )
    return parts


def log_chart(chart: Chart, lines: Sequence[Line], y_name: str) -> Figure:
    """Draw lines through positive points, with logarithmic axes."""
    logs = [
        Line(line.name, [(math.log10(x), math.log10(y)) for x, y in line.points if x > 0 and y and y > 0])
        for line in lines
    ]
    known = [(x, y) for line in logs for x, y in line.points if y is not None]
    if not known:
        return Figure(chart, "", 0)
    frame = Frame(
        0.0, max(0.5, *(x for x, _ in known)), 0.0, max(0.5, *(y for _, y in known if y is not None)) + 0.1
    )
    parts = axes(frame, log_ticks(0.0, frame.right), log_ticks(0.0, frame.high), chart.x_name)
    for at, line in enumerate(logs):
        points = line.points if len(line.points) <= _DOTS else [line.points[place] for place in _spaced(line)]
        shown = Chart(chart.title, show=lambda value: chart.show(10**value), x_name=chart.x_name)
        drawn = _line(frame, shown, Line(line.name, points), at, None, {})
        parts += [each for each in drawn if each.startswith("<polyline") or len(points) == 1]
    told = "; ".join(_summary(line, chart.show) for line in lines[:COLOURS])
    return Figure(
        chart, svg(parts, HEIGHT, f"{chart.title}, {y_name}. {told}"), HEIGHT, _legend([x.name for x in lines])
    )


def _spaced(line: Line) -> list[int]:
    """Return points at about equal distances on a logarithmic axis, including the first and the last."""
    last = len(line.points) - 1
    return sorted({round((last + 1) ** (step / _DOTS)) - 1 for step in range(_DOTS + 1)})


def bar_chart(chart: Chart, names: Sequence[str], bars: Mapping[float, Sequence[float]]) -> Figure:
    """Draw stacked bars: for each x the values of the names, from the bottom up."""
    heights = [sum(values) for values in bars.values()]
    if not heights or not max(heights) > 0:
        return Figure(chart, "", 0)
    frame = Frame(min(bars) - 0.6, max(bars) + 0.6, 0.0, axis_range(0.0, max(heights))[1])
    places: list[Tick] = [(x, f"{x:g}") for at, x in enumerate(bars) if at % (1 + len(bars) // 9) == 0]
    parts = axes(frame, places, linear_ticks(frame.low, frame.high), chart.x_name)
    width = min(26.0, 0.72 * (WIDTH - LEFT - RIGHT) / (max(bars) - min(bars) + 1.2))
    for x, values in bars.items():
        below = 0.0
        for at, value in enumerate(values):
            if value > 0:
                top, bottom = frame.y(below + value), frame.y(below)
                told = f"{chart.x_name} {x:g}: {names[at]} {chart.show(value)}"
                parts.append(
                    f'<rect x="{frame.x(x) - width / 2:.1f}" y="{top:.1f}" width="{width:.1f}" '
                    f'height="{max(bottom - top, 0.4):.1f}" fill="{colour(at)}">'
                    f"<title>{escape(told)}</title></rect>"
                )
                below += value
    told = "; ".join(f"{chart.x_name} {x:g}: {chart.show(sum(values))}" for x, values in bars.items())
    legend = _legend(names) if len(names) > 1 else []
    return Figure(chart, svg(parts, HEIGHT, f"{chart.title}. {told}"), HEIGHT, legend)


def scatter_chart(chart: Chart, points: Sequence[tuple[float, float, str]], y_name: str) -> Figure:
    """Draw points (positive x on a logarithmic scale, y, description)."""
    known = [(math.log10(x), y, text) for x, y, text in points if x > 0 and finite(y)]
    if not known:
        return Figure(chart, "", 0)
    xs, ys = [x for x, _, _ in known], [y for _, y, _ in known]
    low, high = axis_range(min(0.0, *ys), max(0.0, *ys), chart.least)
    frame = Frame(min(xs) - 0.1, max(xs) + 0.1, low, high)
    parts = axes(frame, log_ticks(frame.left, frame.right), linear_ticks(low, high), chart.x_name)
    for x, y, text in known:
        parts.append(
            f'<circle cx="{frame.x(x):.1f}" cy="{frame.y(y):.1f}" r="3.2" fill="var(--c1)" fill-opacity="0.6">'
            f"<title>{escape(text)}</title></circle>"
        )
    told = f"{chart.title}. {len(known)} points; {y_name} from {chart.show(min(ys))} to {chart.show(max(ys))}"
    return Figure(chart, svg(parts, HEIGHT, told), HEIGHT)


def _end_labels(frame: Frame, lines: Sequence[Line]) -> list[str]:
    """Draw names at the ends of lines, moved apart to avoid overlaps."""
    labels = short_different([line.name for line in lines])
    ends = []
    for at, line in enumerate(lines):
        last = next((y for _, y in reversed(line.points) if y is not None and finite(y)), None)
        if last is not None:
            ends.append((frame.y(last), labels[at], line.name, colour(at)))
    step, limit = 16.0, frame.height - BOTTOM + 4.0
    ordered = sorted(ends)
    places: list[float] = []
    for y, *_ in ordered:
        places.append(max(y, places[-1] + step if places else TOP))
    for at in reversed(range(len(places))):  # move labels below the bottom up again, pushing the others
        places[at] = min(places[at], limit)
        limit = places[at] - step
    return [
        f'<text x="{WIDTH - _LABELS + 8}" y="{y + 4:.1f}" fill="{ink}">'
        f"{escape(label)}<title>{escape(name)}</title></text>"
        for y, (_, label, name, ink) in zip(places, ordered, strict=True)
    ]


def _legend(names: Sequence[str]) -> list[tuple[str, str]]:
    return [(name, colour(at)) for at, name in enumerate(names)]


def _summary(line: Line, show: Show) -> str:
    values = [float(y) for _, y in line.points if y is not None and finite(y)]
    if not values:
        return f"{line.name}: nothing"
    return f"{line.name} from {show(values[0])} to {show(values[-1])}"


def _pieces(points: Sequence[tuple[float, float | None]]) -> list[list[tuple[float, float]]]:
    """Return runs of points without gaps."""
    found: list[list[tuple[float, float]]] = [[]]
    for x, y in points:
        if y is not None and finite(y):
            found[-1].append((x, y))
        elif found[-1]:
            found.append([])
    return [piece for piece in found if len(piece) > 1]
