"""Saved pools of a run directory."""

from __future__ import annotations

from tunesmith.errors import FormatError
from tunesmith.io import StrPath
from tunesmith.io.documents import read_document
from tunesmith.io.inside import Inside, inside
from tunesmith.tuning.messages import RESTART
from tunesmith.tuning.runs.directory import STATE
from tunesmith.tuning.runs.documents import StateDocument


def saved_pool(run: StrPath, name: str) -> Inside:
    """Return the folder of a pool in a run directory, such as the merged lists of `train`."""
    folder = inside(run)
    found = read_document(folder / STATE, StateDocument, RESTART).pools
    if name not in found:
        raise FormatError(f"has no pool {name!r}", path=str(folder / STATE))
    return folder / found[name]
