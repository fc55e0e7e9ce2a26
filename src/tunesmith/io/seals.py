"""Checksums inside files: a line of a text, a field of a JSON object. Files edited by hand may lack them.

A text written by tunesmith has a comment line `# crc32 1a2b3c4d`: the CRC-32 of all other bytes of the file. It is
the last of the comment lines at the top, so that programs that skip comments read the file unchanged. A JSON
object has `"sealed": "crc32"` as its first field and `"crc32": "1a2b3c4d"` as its last: the CRC-32 of the text
with the digits replaced by zeros. Two fields, so that one wrong bit cannot turn a sealed object into one without a
seal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from tunesmith import _core
from tunesmith.errors import FormatError

_LINE = re.compile(rb"# crc32 ([0-9a-f]{8})\n")
_WINDOWS_LINE = re.compile(rb"# crc32 [0-9a-f]{8}\r\n")
_FORM = b"# crc32 dddddddd\n"
_LINE_BYTES, _DIGIT = len(_FORM), ord("d")
_FIELD = re.compile(rb'"crc32": "([0-9a-f]{8})"\n}\n?\Z')
_NO_DIGITS = b"00000000"
SEALED, CRC = "sealed", "crc32"


def seal_line(*parts: bytes) -> bytes:
    """Return the comment line with the checksum of all other parts of a text, in their order."""
    return f"# crc32 {_crc(*parts):08x}\n".encode()


def check_line(data: bytes, name: str) -> bool:
    """Return whether a text has a checksum line; FormatError if the checksum is wrong or misplaced."""
    end = _header_end(data)
    if _WINDOWS_LINE.fullmatch(data, max(0, end - _LINE_BYTES - 1), end):  # all line ends were converted
        data = data.replace(b"\r\n", b"\n")
        end = _header_end(data)
    begin = max(0, end - _LINE_BYTES)
    found = _LINE.fullmatch(data, begin, end)
    if found:
        if int(found[1], 16) == _core.crc32(data, _core.crc32(data, 0, 0, begin), end):
            return True
        raise _changed(name)
    lines = [*data[:end].split(b"\n"), data[begin:end], data[end : end + _LINE_BYTES]]
    if any(_is_like(line) for line in lines):
        raise _changed(name)
    return False


def without_line(header: str) -> str:
    """Return the text of a header without its last line, the checksum."""
    return header.rpartition("\n")[0]


def _header_end(data: bytes) -> int:
    """Return the end of the leading lines that begin with # and contain no tab."""
    at = 0
    while data[at : at + 1] in (b"#", b"\n", b"\r"):
        end = data.find(b"\n", at) + 1 or len(data)
        if data.find(b"\t", at, end) >= 0:
            break
        at = end
    return at


def _is_like(line: bytes) -> bool:
    """Return whether a line begins like a checksum line, with at most one byte wrong."""
    alike = sum(
        byte == wanted or (wanted == _DIGIT and byte in b"0123456789abcdef")
        for byte, wanted in zip(line + b"\n", _FORM, strict=False)
    )
    return alike >= _LINE_BYTES - 1


def _changed(name: str) -> FormatError:
    return FormatError(
        "the checksum is wrong: the file is damaged, or was changed after it was written. If you edited it by "
        "hand, remove the line '# crc32 …'",
        path=name,
    )


def _crc(*parts: bytes) -> int:
    value = 0
    for part in parts:
        value = _core.crc32(part, value)
    return value


def sealed_json(document: Mapping[str, Any]) -> str:
    """Format a JSON object as text, with its checksum."""
    content = {key: value for key, value in document.items() if key not in (SEALED, CRC)}
    sealed = {SEALED: CRC, **content, CRC: _NO_DIGITS.decode()}
    text = json.dumps(sealed, indent=1, ensure_ascii=False) + "\n"
    digits = f"{_crc(text.encode()):08x}"
    at = text.rindex(_NO_DIGITS.decode())
    return text[:at] + digits + text[at + len(digits) :]


def check_json(data: bytes, document: Mapping[str, Any], name: str) -> bool:
    """Return whether an object read from these bytes has a checksum; FormatError if the checksum is wrong."""
    if SEALED not in document and CRC not in document:
        return False
    found = _FIELD.search(data)
    right = found is not None and document.get(SEALED) == CRC
    if found is not None and right:
        right = _crc(data[: found.start(1)], _NO_DIGITS, data[found.end(1) :]) == int(found[1], 16)
    if not right:
        raise FormatError("the checksum of the file itself is wrong; it is damaged", path=name)
    return True
