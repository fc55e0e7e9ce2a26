"""Walltime of jobs and lifetime of workers, which is a little shorter, so that they end cleanly.

A worker killed by the queueing system counts as a failure of its block. A worker with a lifetime finishes its
block, passes its results on and leaves.
"""

from __future__ import annotations

import re

from tunesmith.errors import ConfigError

_FORM = re.compile(r"(?:(\d{1,4})-)?(\d{1,4}):(\d{2})(?::(\d{2}))?")
_MARGIN, _STAGGER = 300, 240


def seconds_of(walltime: str) -> int:
    """Convert HH:MM:SS, HH:MM or D-HH:MM:SS to seconds."""
    found = _FORM.fullmatch(walltime)
    if found is None:
        raise ConfigError(f"walltime must be like 01:30:00, got {walltime!r}")
    days, hours, minutes, seconds = (int(each or 0) for each in found.groups())
    total = ((days * 24 + hours) * 60 + minutes) * 60 + seconds
    if total < 120:
        raise ConfigError(f"walltime must be at least two minutes, got {walltime!r}")
    return total


def lifetime_options(walltime: str) -> list[str]:
    """Return options of `dask worker`: workers leave before their job ends, at different times."""
    total = seconds_of(walltime)
    margin = min(_MARGIN, total // 4)
    return ["--lifetime", f"{total - margin}s", "--lifetime-stagger", f"{min(_STAGGER, margin // 2)}s"]
