"""Style and output of pictures: equal numbers give equal bytes, independent of the user's style file."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tunesmith
from tunesmith.errors import ConfigError, MissingExtraError
from tunesmith.io import StrPath, atomic_bytes

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "svg", "pdf")
BLUE, ORANGE, GREY = "#2f6690", "#d1702f", "#9a9a9a"
_STYLE: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so the picture is equal everywhere
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": "#555555",
    "axes.titlesize": 11.5,
    "svg.hashsalt": "tunesmith",  # otherwise ids in the file are random
    "svg.fonttype": "path",
}


def check_picture_path(path: StrPath) -> str:
    """Return the format of the suffix; call it before any work."""
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


def save_picture(path: StrPath, draw: Callable[[], Figure]) -> None:
    """Draw and write the file all or nothing: no date, no random ids."""
    kind = check_picture_path(path)
    import matplotlib

    # Ignores the user's style file; the backend is not part of the style.
    usual = {key: value for key, value in matplotlib.rcParamsDefault.items() if key != "backend"}
    style: Any = {**usual, **_STYLE}
    with matplotlib.rc_context(style):
        buffer = io.BytesIO()
        draw().savefig(buffer, format=kind, dpi=150, metadata=_metadata(kind))
    with atomic_bytes(path) as out:
        out.write(buffer.getvalue())


def _metadata(kind: str) -> dict[str, Any]:
    creator = f"tunesmith {tunesmith.__version__}"
    if kind == "png":
        return {"Software": creator}
    if kind == "svg":
        return {"Creator": creator, "Date": None}
    return {"Creator": creator, "Producer": None, "CreationDate": None}
