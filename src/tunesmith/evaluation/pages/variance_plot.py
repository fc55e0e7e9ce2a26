"""The two scatter plots of Green et al. (2014, Figure 1) as one picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tunesmith.evaluation.pages.pictures import BLUE, save_picture
from tunesmith.evaluation.variance import ReferenceVariance
from tunesmith.io import StrPath
from tunesmith.metrics.base import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def save_variance_plot(path: StrPath, variance: ReferenceVariance) -> None:
    save_picture(path, lambda: draw_variance(variance))


def draw_variance(variance: ReferenceVariance) -> Figure:
    """Draw maximum against minimum, and all references against maximum. Does not touch global state."""
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(figsize=(10, 5.4), layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.1))
    spread, gain = figure.subplots(1, 2)
    low, high, together = (
        scores[variance.several] for scores in (variance.minimum, variance.maximum, variance.multiple)
    )
    label = _label(variance)
    _scatter(spread, low, high)
    _title(spread, f"{label}: maximum against minimum", high - low)
    spread.set_xlabel("lowest score with one reference (%)")
    spread.set_ylabel("highest score with one reference (%)")
    _scatter(gain, high, together)
    _title(gain, f"{label}: all references against maximum", together - high)
    gain.set_xlabel("highest score with one reference (%)")
    gain.set_ylabel("score with all references (%)")
    return figure


def _title(axes: Axes, title: str, above: Floats) -> None:
    deviation = above.std(ddof=1) if len(above) > 1 else 0.0
    axes.set_title(
        f"{title}\ndifference M = {above.mean():.1f}, SD = {deviation:.1f}, n = {len(above)}", loc="left", pad=12
    )


def _scatter(axes: Axes, x: Floats, y: Floats) -> None:
    axes.plot([0, 100], [0, 100], color="#999999", linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    # Few points are drawn large and clear, many small and light, so that density can be seen.
    size, alpha = float(np.clip(12000 / len(x), 9, 40)), float(np.clip(200 / len(x), 0.25, 0.7))
    axes.scatter(x, y, s=size, color=BLUE, alpha=alpha, linewidths=0, zorder=2, clip_on=False)
    axes.set_xlim(0, 100)
    axes.set_ylim(0, 100)
    axes.set_xticks(range(0, 101, 20))
    axes.set_yticks(range(0, 101, 20))
    axes.set_aspect("equal")
    axes.grid(color="#e6e6e6", linewidth=0.8)
    axes.set_axisbelow(True)


def _label(variance: ReferenceVariance) -> str:
    extended = variance.signature.fields.get("smooth") == "nakov"
    return "Extended BLEU+1" if extended else "BLEU+1"
