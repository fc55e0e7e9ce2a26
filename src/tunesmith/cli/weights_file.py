"""Weights that a user names, with what there is to say about their file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tunesmith.cli.console import remark
from tunesmith.io import StrPath, display_name

if TYPE_CHECKING:
    from tunesmith.weights import Weights


def read_weights(path: StrPath, *, quiet: bool = False) -> Weights:
    """Read a weights file; a note says where a file of tunesmith has no checksum."""
    from tunesmith.weights import Weights

    weights = Weights.read(path)
    for each in weights.notes:
        remark(f"{display_name(path)}: {each}", quiet=quiet)
    return weights
