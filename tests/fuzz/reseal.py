"""Checksums and sizes made to fit after damage, so that it reaches what is read after they were checked."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping
from itertools import pairwise
from random import Random
from typing import Any

from fuzz.kind import Files

_MANIFEST = "manifest.json"
_ODD, _MASK = 0x9E3779B97F4A7C15, 2**64 - 1
_ITEM = {"<u8": 8, "<i8": 8, "<f8": 8, "<i4": 4, "<u4": 4, "<f4": 4, "u1": 1, "|u1": 1}
# Array of a rule table → number of the manifest that follows from its length: items, and what they are more than.
_NUMBERS = {
    "joint_counts": ("rules", 8, 1),
    "source_counts": ("sources", 8, 1),
    "source_symbols": ("source_symbols", 4, 1),
    "target_symbols": ("target_symbols", 4, 1),
    "links": ("links", 1, 2),
}


def reseal_manifests(files: Mapping[str, bytes], changed: Files, random: Random) -> Files:
    """Every manifest of the input with the sizes and checksums of the files in its folder as they are now."""
    changed = dict(changed)
    for name in files:
        if name.endswith(_MANIFEST):
            _reseal_manifest(name, files, changed, random)
    return changed


def _reseal_manifest(name: str, files: Mapping[str, bytes], changed: Files, random: Random) -> None:
    folder = name.removesuffix(_MANIFEST)
    try:
        manifest = json.loads(changed.get(name, files[name]))
        entries = manifest["files"]
        for file, entry in entries.items():
            path = folder + file
            if path not in changed:
                continue
            changed[path] = data = _whole_items(file, entry, changed[path])
            entry |= {"bytes": len(data), "crc32": f"{zlib.crc32(data):08x}"}
            if isinstance(entry.get("shape"), list) and random.random() < 0.9:
                entry["shape"] = _shape(entry["shape"], len(data) // _ITEM.get(entry["type"], 1))
            if file in _NUMBERS and "numbers" in manifest and random.random() < 0.9:
                number, item, times = _NUMBERS[file]
                manifest["numbers"][number] = len(data) // item // times
        changed[name] = json.dumps(manifest).encode()
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError):
        return  # the manifest itself is what is damaged


def _whole_items(file: str, entry: Mapping[str, Any], data: bytes) -> bytes:
    item = _ITEM.get(entry.get("type", ""), 1)
    if file in _NUMBERS:
        item = _NUMBERS[file][1] * _NUMBERS[file][2]
    return data[: len(data) // item * item]


def _shape(shape: list[int], items: int) -> list[int]:
    rest = 1
    for size in shape[1:]:
        rest *= size
    return [items // max(rest, 1), *shape[1:]]


def checksum64(data: bytes) -> int:
    """The twin of cpp/base/checksum.hpp."""

    def turn(x: int) -> int:
        return (x << 29 | x >> 35) & _MASK

    lanes = [len(data), 1, 2, 3]
    whole = len(data) // 32 * 32
    words = struct.unpack(f"<{whole // 8}Q", data[:whole])
    for lane in range(4):
        value = lanes[lane]
        for word in words[lane::4]:
            value = (value ^ word) * _ODD & _MASK
            value = (value << 29 | value >> 35) & _MASK
        lanes[lane] = value
    for lane, at in enumerate(range(whole, len(data), 8)):
        word = int.from_bytes(data[at : at + 8], "little")
        lanes[lane] = turn((lanes[lane] ^ word) * _ODD & _MASK)
    total = 0
    for value in lanes:
        total = turn((total ^ value) * _ODD & _MASK)
        total ^= total >> 32
    return total


_LM_HEADER = 16 + 8 + 8 + 8 + 8 * (4 + 3 * 9) + 16
_LM_BLOCK = 1 << 20


def reseal_image(data: bytes, random: Random) -> bytes:
    """A binary language model of one block whose size and checksums fit."""
    data_at = (_LM_HEADER + 63) // 64 * 64 + 64
    if len(data) < data_at:
        return data
    image = bytearray(data)
    if random.random() < 0.8:
        image[24:32] = struct.pack("<Q", len(image))
    block = struct.pack("<Q", checksum64(bytes(image[data_at : data_at + _LM_BLOCK])))
    image[data_at - 64 : data_at - 56] = block
    image[_LM_HEADER - 16 : _LM_HEADER - 8] = struct.pack("<Q", checksum64(block))
    image[_LM_HEADER - 8 : _LM_HEADER] = struct.pack("<Q", checksum64(bytes(image[: _LM_HEADER - 8])))
    return bytes(image)


def reseal_images(files: Mapping[str, bytes], changed: Files, random: Random) -> Files:
    """All binary language models among the changed files."""
    return {
        name: reseal_image(data, random) if files[name].startswith(b"tunesmith-lm ") else data
        for name, data in changed.items()
    }


_GRAPH_HEAD, _TAIL = 24, struct.Struct("<QQQ16s")


def reseal_graphs(data: bytes) -> bytes:
    """A file of search graphs with the checksum of each graph and of its end."""
    if len(data) < _GRAPH_HEAD + _TAIL.size:
        return data
    graphs = bytearray(data)
    offset_bytes, text_bytes, _, end = _TAIL.unpack(data[-_TAIL.size :])
    index = len(data) - _TAIL.size - offset_bytes - text_bytes
    if not _GRAPH_HEAD <= index <= len(data) or offset_bytes % 8:
        return data
    offsets = struct.unpack(f"<{offset_bytes // 8}Q", data[index : index + offset_bytes])
    for begin, stop in pairwise(offsets):
        if _GRAPH_HEAD <= begin < begin + 8 <= stop <= index:
            graphs[begin : begin + 8] = struct.pack("<Q", checksum64(bytes(graphs[begin + 8 : stop])))
    crc = zlib.crc32(bytes(graphs[index : len(data) - _TAIL.size]))
    graphs[-_TAIL.size :] = _TAIL.pack(offset_bytes, text_bytes, crc, end)
    return bytes(graphs)


def reseal_graph_files(files: Mapping[str, bytes], changed: Files, random: Random) -> Files:
    """All files of search graphs among the changed ones; cut or longer ones get their index at the end again."""
    found = {}
    for name, data in changed.items():
        if len(data) != len(files[name]) and random.random() < 0.7:
            data = _with_end(files[name], data)
        found[name] = reseal_graphs(data)
    return found


def _with_end(good: bytes, data: bytes) -> bytes:
    """The damaged front with the end of the good file; the last graph ends where the index begins."""
    offset_bytes, text_bytes, _, end = _TAIL.unpack(good[-_TAIL.size :])
    index = len(good) - _TAIL.size - offset_bytes - text_bytes
    front = data[: index + len(data) - len(good)]
    offsets = bytearray(good[index : index + offset_bytes])
    offsets[-8:] = struct.pack("<Q", len(front))
    return (
        front
        + bytes(offsets)
        + good[index + offset_bytes : index + offset_bytes + text_bytes]
        + _TAIL.pack(offset_bytes, text_bytes, 0, end)
    )


def reseal_all(files: Mapping[str, bytes], changed: Files, random: Random) -> Files:
    """Language models, then the manifests of folders."""
    return reseal_manifests(files, reseal_images(files, changed, random), random)
