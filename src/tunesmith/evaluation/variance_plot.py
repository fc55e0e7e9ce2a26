"""The two scatter plots of Green et al. (2014, Figure 1) as one picture."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import tunesmith
from tunesmith.errors import ConfigError, MissingExtraError
from tunesmith.evaluation.variance import ReferenceVariance
from tunesmith.io import StrPath, atomic_bytes
from tunesmith.metrics.base import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")
_STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so the picture is the same everywhere
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#555555",
    "axes.titlesize": 11.5,
    "svg.hashsalt": "tunesmith",  # else ids in the file are random
    "svg.fonttype": "path",
}
_COLOUR = "#2f6690"


def check_picture_path(path: StrPath) -> str:
    """The format that the suffix asks for; to be called before any work is done."""
    kind = Path(path).suffix.removeprefix(".").lower()
    if kind not in FORMATS:
        raise ConfigError(
            f"{path}: the name of a picture must end in .{', .'.join(FORMATS[:-1])} or .{FORMATS[-1]}"
        )
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise MissingExtraError("a picture", "matplotlib", "plots") from None
    return kind


def save_variance_plot(path: StrPath, variance: ReferenceVariance) -> None:
    """Draw both plots and write the file all or nothing.

    The same numbers give the same bytes: no date, no random ids.
    """
    kind = check_picture_path(path)
    import matplotlib

    # The same picture whatever the user's own style file says; the backend is not a matter of style.
    usual = {key: value for key, value in matplotlib.rcParamsDefault.items() if key != "backend"}
    style: Any = {**usual, **_STYLE}
    with matplotlib.rc_context(style):
        figure = draw_variance(variance)
        buffer = io.BytesIO()
        figure.savefig(buffer, format=kind, dpi=150, metadata=_metadata(kind))
    with atomic_bytes(path) as out:
        out.write(buffer.getvalue())


def draw_variance(variance: ReferenceVariance) -> Figure:
    """The figure: maximum against minimum, and all references against maximum; no global state is touched."""
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
    axes.scatter(x, y, s=size, color=_COLOUR, alpha=alpha, linewidths=0, zorder=2, clip_on=False)
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


def _metadata(kind: str) -> dict[str, Any]:
    creator = f"tunesmith {tunesmith.__version__}"
    if kind == "png":
        return {"Software": creator}
    if kind == "svg":
        return {"Creator": creator, "Date": None}
    return {"Creator": creator, "Producer": None, "CreationDate": None}
