"""Scores against the value of a setting: as in Figure 1 of Cherry and Foster (2012)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from tunesmith.evaluation.pages.charts import Line, line_chart
from tunesmith.evaluation.pages.drawing import Chart, Figure


@dataclass(frozen=True)
class Curve:
    """One panel: scores by data set (`tune`, `devtest`, `test`), one for each value of a setting.

    deviations: of mean scores.   chosen: the chosen value, or None.
    """

    title: str
    setting: str
    values: Sequence[str]
    scores: Mapping[str, Sequence[float]]
    deviations: Mapping[str, Sequence[float]] = field(default_factory=dict)
    chosen: str | None = None

    @property
    def order(self) -> list[int]:
        """Order of values, ascending; the given order if some are not numbers."""
        try:
            numbers = [float(value) for value in self.values]
        except ValueError:
            return list(range(len(self.values)))
        return [int(at) for at in np.argsort(numbers, kind="stable")]


def draw_curves(curves: Sequence[Curve], metric: str = "BLEU", *, same_scale: bool = False) -> list[Figure]:
    """Return a figure for each curve.

    Values stand at equal distances, as powers of ten would; a ring: the chosen one.
    same_scale: all figures have the scores of all curves on the vertical axis, so that they can be compared.
    """
    every = [float(score) for curve in curves for scores in curve.scores.values() for score in scores]
    reach = (min(every), max(every)) if same_scale and every else ()
    return [_draw(curve, metric, reach) for curve in curves]


def _draw(curve: Curve, metric: str, reach: Sequence[float]) -> Figure:
    order = curve.order
    values = [curve.values[at] for at in order]
    lines = []
    for name, scores in curve.scores.items():
        spread = curve.deviations.get(name)
        points = [(float(place), float(scores[at])) for place, at in enumerate(order)]
        lines.append(Line(name, points, () if spread is None else [float(spread[at]) for at in order]))
    chosen = float(values.index(curve.chosen)) if curve.chosen in values else None
    about = f"{metric}." if chosen is None else f"{metric}. Ring: the chosen value, {curve.chosen}."
    about += " Bars: ± SD." if curve.deviations else ""
    chart = Chart(curve.title, about, "{:.2f}".format, curve.setting)
    return line_chart(chart, lines, marked=chosen, x_labels=values, reach=reach)
