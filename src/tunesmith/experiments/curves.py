"""Scores against the value of a setting: the shape of Figure 1 of Cherry and Foster (2012)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from tunesmith.experiments.pictures import BAD, INK, TEST, svg_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLOURS = {"tune": BAD, "devtest": "#5a9e6f", "test": TEST}


@dataclass(frozen=True)
class Curve:
    """One panel: scores by data set (`tune`, `devtest`, `test`), one for each value of a setting.

    deviations: of the scores where they are means.   chosen: the value that was chosen, None where none was.
    """

    title: str
    setting: str
    values: Sequence[str]
    scores: Mapping[str, Sequence[float]]
    deviations: Mapping[str, Sequence[float]] = field(default_factory=dict)
    chosen: str | None = None

    @property
    def order(self) -> list[int]:
        """Values from the smallest to the largest; as they were given where some are no numbers."""
        try:
            numbers = [float(value) for value in self.values]
        except ValueError:
            return list(range(len(self.values)))
        return [int(at) for at in np.argsort(numbers, kind="stable")]


def draw_curves(curves: Sequence[Curve], metric: str = "BLEU") -> str:
    """SVG with the panels side by side, two in a row. Values stand at equal distances, as powers of ten would."""
    columns = min(len(curves), 2)
    rows = -(-len(curves) // columns)
    return svg_of((4.3 * columns + 0.4, 3.1 * rows), lambda figure: _draw(figure, curves, rows, columns, metric))


def _draw(figure: Figure, curves: Sequence[Curve], rows: int, columns: int, metric: str) -> None:
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for axes, curve in zip(grid, curves, strict=False):
        places = np.arange(len(curve.values))
        for name, scores in curve.scores.items():
            drawn = np.asarray(scores, dtype=float)[curve.order]
            spread = curve.deviations.get(name)
            error = None if spread is None else np.asarray(spread, dtype=float)[curve.order]
            colour = _COLOURS.get(name, INK)
            axes.errorbar(places, drawn, yerr=error, fmt="o-", color=colour, lw=1.7, ms=5, capsize=3, label=name)
        values = [curve.values[at] for at in curve.order]
        axes.set_xticks(places, values)
        if curve.chosen in values:
            axes.axvline(values.index(curve.chosen), color=INK, lw=0.8, ls=":")
        axes.set_title(curve.title)
        axes.set_xlabel(curve.setting)
        axes.set_ylabel(metric)
        axes.margins(x=0.08, y=0.12)
        axes.legend(fontsize=8)
    for axes in grid[len(curves) :]:
        axes.set_visible(False)
