"""ARPA files to models."""

from __future__ import annotations

from typing import BinaryIO

from tunesmith import _core

_PIECE = 1 << 20


def read_arpa(stream: BinaryIO, head: bytes = b"") -> tuple[_core.LmModel, list[str]]:
    """The model in an ARPA stream whose first bytes `head` were read before, with notes for the user.

    Everything that cannot be a whole and consistent model raises FormatError with the line
    (from the core, as ValueError; see `core_errors`).
    """
    reader = _core.ArpaReader()
    piece = head
    while piece:
        reader.add(piece)
        piece = stream.read(_PIECE)
    return reader.finish(), reader.notes
