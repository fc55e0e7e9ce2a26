"""The epochs of an online run on its page: both weight vectors on dev, the loss, features that come and go."""

from __future__ import annotations

from collections.abc import Sequence

from tunesmith.evaluation.pages.charts import Line, line_chart
from tunesmith.evaluation.pages.drawing import Chart, Figure
from tunesmith.tuning.loop.history import Round

_ACTIVE = "active "
_TEMPLATES = 6
"""Templates with most features that are drawn."""


def epoch_charts(rows: Sequence[Round], metric: str, marked: float) -> list[Figure]:
    """Return charts of what only online runs have; none for others.   marked: the best round."""
    epochs = [row for row in rows if "score last" in row.details]
    if len(epochs) < 2:
        return []
    scores = [_line(epochs, name, f"score {name}") for name in ("last", "average")]
    both = Chart(
        f"{metric} of both weights", "Decoded with the last and with the averaged weights.", "{:.1f}".format
    )
    loss = Chart("Loss while learning", "A sentence's mean, each before its update.", "{:.4g}".format)
    moved = Chart("Weights that came and went", "Zero before and not after an epoch, or the reverse.", _count)
    charts = [
        line_chart(both, scores, marked=marked),
        line_chart(loss, [_line(epochs, "loss", "loss")], marked=marked),
        line_chart(moved, [_line(epochs, name, name) for name in ("appeared", "died")]),
    ]
    last = epochs[-1].details
    names = {name for row in epochs for name in row.details if name.startswith(_ACTIVE)}
    most = sorted(names, key=lambda name: (-last.get(name, 0.0), name))[:_TEMPLATES]
    if len(names) > 1:
        active = Chart("Active features by template", "Features whose weight is not zero.", _count)
        lines = [
            Line(name[len(_ACTIVE) :], [(row.round, row.details.get(name, 0.0)) for row in epochs])
            for name in most
        ]
        charts.append(line_chart(active, lines, marked=marked))
    return charts


def _line(epochs: Sequence[Round], name: str, detail: str) -> Line:
    return Line(name, [(row.round, row.details.get(detail)) for row in epochs])


def _count(value: float) -> str:
    return f"{value:,.0f}"
