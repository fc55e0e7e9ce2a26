"""Chart of scores of several systems with their intervals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tunesmith.evaluation.bootstrap import Interval
from tunesmith.evaluation.pages.drawing import WIDTH, Chart, Figure, finite, svg
from tunesmith.evaluation.pages.labels import short, text_units, text_width
from tunesmith.evaluation.pages.page import escape
from tunesmith.evaluation.pages.scales import axis_range, linear_ticks

_ROW, _EDGE, _BELOW = 34, 8, 24
COLOURS = {"good": "var(--good)", "bad": "var(--bad)", "": "var(--c6)"}
"""Colour of a row, by whether it is significantly better or worse than the base."""


@dataclass(frozen=True)
class ScoreRow:
    """A system: its score with an interval.   marks: further scores.

    kind: `good` or `bad` if it is significantly better or worse than the base.
    """

    label: str
    score: float
    interval: Interval
    marks: Sequence[float]
    kind: str
    base: bool


def score_chart(chart: Chart, rows: Sequence[ScoreRow]) -> Figure:
    """Draw a row for each system with its name above it, and a dotted line through the base."""
    values = [
        value
        for row in rows
        for value in (row.score, row.interval.low, row.interval.high, *row.marks)
        if finite(value)
    ]
    if not values:
        return Figure(chart, "", 0)
    low, high = axis_range(min(values), max(values), chart.least)
    height = _ROW * len(rows) + _BELOW

    def x(value: float) -> float:
        return _EDGE + (WIDTH - 2 * _EDGE) * (value - low) / (high - low)

    parts = []
    end = 0.0
    for value, text in linear_ticks(low, high, 5):
        place, half = x(value), text_width(text) / 2
        parts += _upright(place, len(rows), 'stroke="var(--line)"')
        if place - half >= end and place + half <= WIDTH:
            end = place + half + 4
            parts.append(
                f'<text x="{place:.1f}" y="{height - 7}" text-anchor="middle" fill="var(--soft)">{text}</text>'
            )
    base = next((x(row.score) for row in rows if row.base and finite(row.score)), None)
    if base is not None:
        parts += _upright(base, len(rows), 'stroke="var(--soft)" stroke-dasharray="2 3"')
    for at, row in enumerate(rows):
        parts += _row(row, at, x, chart)
    told = "; ".join(f"{row.label} {chart.show(row.score)}" for row in rows)
    return Figure(chart, svg(parts, height, f"{chart.title}. {told}"), height)


def _upright(x: float, rows: int, look: str) -> list[str]:
    """Draw a vertical line, interrupted at names."""
    return [
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_ROW * at + 17}" y2="{_ROW * at + 32}" {look}/>'
        for at in range(rows)
    ]


def _row(row: ScoreRow, at: int, x: Callable[[float], float], chart: Chart) -> list[str]:
    if not finite(row.score):
        return []
    ink, top, middle = COLOURS[row.kind], _ROW * at + 13, _ROW * at + 24
    value = chart.show(row.score)
    half = f" ± {chart.show(row.interval.half_width)}" if finite(row.interval.half_width) else ""
    label = short(row.label, 40 - text_units(value + half))
    told = f"{row.label}: {value}, interval {chart.show(row.interval.low)} to {chart.show(row.interval.high)}"
    parts = [
        f'<text x="{_EDGE}" y="{top}" fill="var(--ink)">{escape(label)}<title>{escape(row.label)}</title></text>',
        f'<text x="{WIDTH - _EDGE}" y="{top}" text-anchor="end" fill="{ink}">{escape(value + half)}</text>',
        f'<line x1="{x(row.interval.low):.1f}" x2="{x(row.interval.high):.1f}" y1="{middle}" y2="{middle}" '
        f'stroke="{ink}" stroke-width="2.2" stroke-opacity="0.5"/>',
    ]
    parts += [
        f'<line x1="{x(mark):.1f}" x2="{x(mark):.1f}" y1="{middle - 5}" y2="{middle + 5}" stroke="var(--ink)"/>'
        for mark in row.marks
        if finite(mark)
    ]
    parts.append(
        f'<circle cx="{x(row.score):.1f}" cy="{middle}" r="4" fill="{ink}"><title>{escape(told)}</title></circle>'
    )
    return parts
