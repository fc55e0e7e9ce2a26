"""Which dialect a file is in, and dialects as users type them: `cdec`, `flat:n=10,scores=dev.scores`."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from tunesmith.errors import ConfigError
from tunesmith.search.dialects.base import Detection, Dialect, dialects


def detect_dialect(head: Sequence[str]) -> tuple[str, Detection] | None:
    """The dialect that is surest of these first lines; None if none knows them."""
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
    name, _, rest = text.partition(":")
    factory: Any = dialects.get(name)
    known = (
        {field.name: field for field in dataclasses.fields(factory)} if dataclasses.is_dataclass(factory) else {}
    )
    settings: dict[str, object] = {}
    for item in filter(None, rest.split(",")):
        key, equals, value = item.partition("=")
        if not equals or key not in known:
            raise ConfigError(f"the dialect {name} has no setting {item!r}. It has: {', '.join(known) or 'none'}")
        if known[key].type in ("int", int):
            if not (value.isascii() and value.isdigit() and len(value) < 10):
                raise ConfigError(f"{key} must be a whole number, got {value[:40]!r}")
            settings[key] = int(value)
        else:
            settings[key] = value
    return dialects.make(name, **settings)
