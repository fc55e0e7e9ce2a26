"""How long a job may run, and how long its worker does: a little less, so that it ends in good order.

A worker that the queueing system kills counts as a failure of its block. One that knows its lifetime finishes its
block, hands over its results and leaves.
"""

from __future__ import annotations

import re

from tunesmith.errors import ConfigError

_FORM = re.compile(r"(?:(\d{1,4})-)?(\d{1,4}):(\d{2})(?::(\d{2}))?")
_MARGIN, _STAGGER = 300, 240


def seconds_of(walltime: str) -> int:
    """Seconds of HH:MM:SS, HH:MM or D-HH:MM:SS."""
    found = _FORM.fullmatch(walltime)
    if found is None:
        raise ConfigError(f"walltime must be like 01:30:00, got {walltime!r}")
    days, hours, minutes, seconds = (int(each or 0) for each in found.groups())
    total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    if total < 120:
        raise ConfigError(f"walltime must be at least two minutes, got {walltime!r}")
    return total


def lifetime_options(walltime: str) -> list[str]:
    """Options of `dask worker`: workers leave before their job ends, not all at the same time."""
    total = seconds_of(walltime)
    margin = min(_MARGIN, total // 4)
    return ["--lifetime", f"{total - margin}s", "--lifetime-stagger", f"{min(_STAGGER, margin // 2)}s"]
