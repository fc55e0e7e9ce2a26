"""Reading models from ARPA files."""

from __future__ import annotations

from typing import BinaryIO

from tunesmith import _core

_PIECE = 1 << 20


def read_arpa(stream: BinaryIO, head: bytes = b"") -> tuple[_core.LmModel, list[str]]:
    """Read a model from an ARPA stream, with notes for the user.

    head: first bytes of the stream, already read. Incomplete or inconsistent models raise FormatError with the
    line (in the core ValueError; see `core_errors`).
    """
    reader = _core.ArpaReader()
    piece = head
    while piece:
        reader.add(piece)
        piece = stream.read(_PIECE)
    return reader.finish(), reader.notes
