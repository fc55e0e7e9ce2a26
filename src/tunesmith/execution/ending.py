"""Cleanup before the process ends without leaving its `with` blocks."""

from __future__ import annotations

from tunesmith.execution import children, temporary


def end_with_us() -> None:
    """End all children, then remove all temporary folders."""
    children.end_all()
    temporary.remove_all()
