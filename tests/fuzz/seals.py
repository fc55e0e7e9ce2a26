"""Checksums inside of files made to fit: the comment line of a text, the last field of a JSON object."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping

from fuzz.kind import Files

_LINE = re.compile(rb"# crc32 [0-9a-f]{8}\r?\n")
_JSON = b'"sealed": "crc32"'
_ZEROS = "00000000"


def reseal_inside(files: Mapping[str, bytes], changed: Files) -> Files:
    """The changed files; those that had a checksum inside have the right one."""
    return {name: _sealed(files.get(name, b""), data) for name, data in changed.items()}


def _sealed(good: bytes, data: bytes) -> bytes:
    if _JSON in good[:100]:
        return seal_json(data)
    return seal_line(data) if _LINE.search(good[:4096]) else data


def seal_line(data: bytes) -> bytes:
    """A text with the right checksum in its line `# crc32 …`, where it has one."""
    found = _LINE.search(data)
    if found is None:
        return data
    rest = zlib.crc32(data[found.end() :], zlib.crc32(data[: found.start()]))
    return data[: found.start()] + f"# crc32 {rest:08x}\n".encode() + data[found.end() :]


def seal_json(data: bytes) -> bytes:
    """A JSON object with its checksum as first and last field; anything else as it is."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return data
    if not isinstance(tree, dict):
        return data
    rest = {key: value for key, value in tree.items() if key not in ("sealed", "crc32")}
    text = json.dumps({"sealed": "crc32", **rest, "crc32": _ZEROS}, indent=1) + "\n"
    at = text.rindex(_ZEROS)
    return f"{text[:at]}{zlib.crc32(text.encode()):08x}{text[at + 8 :]}".encode()
