"""ARPA files to models."""

from __future__ import annotations

import gzip
import zlib
from typing import BinaryIO

from tunesmith import _core
from tunesmith.errors import FormatError

_PIECE = 1 << 20


def read_arpa(stream: BinaryIO, name: str, head: bytes = b"") -> tuple[_core.LmModel, list[str]]:
    """The model in an ARPA stream whose first bytes `head` were read before, with notes for the user.

    `name` is for messages. Everything that cannot be a whole and consistent model raises FormatError with the line
    (from the core, as ValueError; see `core_errors`).
    """
    reader = _core.ArpaReader()
    piece = head
    while piece:
        reader.add(piece)
        piece = read_piece(stream, name, _PIECE)
    return reader.finish(), reader.notes


def read_piece(stream: BinaryIO, name: str, size: int) -> bytes:
    """The next bytes, fewer than `size` only at the end; all of them for -1."""
    try:
        return stream.read(size)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise FormatError(
            f"the gzip data is damaged or cut off ({error}); get the file again", path=name
        ) from None
    except OSError as error:
        raise FormatError(f"cannot be read any further ({error.strerror})", path=name) from None
