"""Results as bytes: plain values as JSON, arrays as they are in memory. Reading them runs no code."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import FormatError

_MAGIC = b"TSpacket"
_TYPES = frozenset({"|b1", "|u1", "|i1", "<u2", "<i2", "<u4", "<i4", "<u8", "<i8", "<f4", "<f8"})
_PLACE = 8


class Packet(NamedTuple):
    """What travels between processes.   values: anything that JSON holds.   arrays: numbers, by name."""

    values: Any = None
    arrays: Mapping[str, NDArray[Any]] = {}


class _Header(msgspec.Struct, forbid_unknown_fields=True):
    values: Any
    arrays: dict[str, tuple[str, tuple[int, ...]]]


def pack(packet: Packet) -> bytes:
    """Return the packet as bytes."""
    arrays = {name: np.ascontiguousarray(array) for name, array in packet.arrays.items()}
    header = msgspec.json.encode(
        _Header(packet.values, {name: (each.dtype.str, each.shape) for name, each in arrays.items()})
    )
    parts = [_MAGIC, len(header).to_bytes(8, "little"), header, bytes(-len(header) % _PLACE)]
    for array in arrays.values():
        parts += [array.tobytes(), bytes(-array.nbytes % _PLACE)]
    return b"".join(parts)


def unpack(data: bytes | memoryview) -> Packet:
    """Read what `pack` gave; FormatError for any other bytes. The arrays are read-only and share the memory."""
    begin = len(_MAGIC) + 8
    length = int.from_bytes(data[len(_MAGIC) : begin], "little")
    if bytes(data[: len(_MAGIC)]) != _MAGIC or length > len(data):
        raise FormatError("not a packet of tunesmith: it does not begin as one")
    try:
        header = msgspec.json.decode(data[begin : begin + length], type=_Header)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise FormatError(f"the header of a packet is damaged: {error}") from None
    at, arrays = begin + length + -length % _PLACE, {}
    for name, (kind, shape) in header.arrays.items():
        if kind not in _TYPES or any(size < 0 for size in shape):
            raise FormatError(f"the array {name!r} of a packet has a type or shape that is not expected")
        entries = math.prod(shape)
        size = entries * np.dtype(kind).itemsize
        if at + size > len(data):
            raise FormatError(f"a packet is cut off in the array {name!r}")
        arrays[name] = np.frombuffer(data, dtype=kind, count=entries, offset=at).reshape(shape)
        at += size + -size % _PLACE
    if at != len(data):
        raise FormatError(f"a packet has {len(data)} bytes, its header says {at}")
    return Packet(header.values, arrays)
