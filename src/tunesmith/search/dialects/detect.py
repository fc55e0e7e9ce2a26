"""Detection of dialects, and dialects as users type them: `cdec`, `flat:n=10,scores=dev.scores`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tunesmith.search.dialects.base import Detection, Dialect, dialects
from tunesmith.settings import parse_named, read_settings


def detect_dialect(head: Sequence[str]) -> tuple[str, Detection] | None:
    """Return the dialect with the highest confidence for these first lines; None if no dialect matches."""
    best: tuple[str, Detection] | None = None
    for name in dialects:
        factory: Any = dialects.get(name)
        detect = getattr(factory, "detect", None)
        found = Detection(0.0, "") if detect is None else detect(head)
        if found.confidence > (0.0 if best is None else best[1].confidence):
            best = name, found
    return best


def make_dialect(text: str) -> Dialect:
    """Make a dialect from its name and, after a colon, its settings."""
    name, values = parse_named(text)
    return dialects.make(name, **read_settings(dialects.get(name), values, f"the dialect {name}"))
