"""JSON documents that we write and read back, each with a schema that writer and reader share.

A schema is a `msgspec.Struct`. Reading is strict: a field of another type, a number out of its range, NaN,
infinity and text that is not UTF-8 are damage. Fields with a default may be missing, fields that are not known are
passed over. Errors say what is wrong and where, and do not quote the file: it may be another one than its name
says.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, TypedDict, TypeVar

import msgspec

from tunesmith.errors import FormatError
from tunesmith.io.paths import StrPath, display_name
from tunesmith.io.reading import open_bytes
from tunesmith.io.seals import check_json, sealed_json
from tunesmith.io.writing import atomic_writer

T = TypeVar("T")

Count = Annotated[int, msgspec.Meta(ge=0, le=2**53)]
"""A number of things; larger ones than JSON readers keep exactly are damage."""
Whole = Annotated[int, msgspec.Meta(ge=-(2**62), le=2**62)]
Number = Whole | float | None
"""A number that was measured; None for one that was not finite."""

Document = dict[str, Any]
"""The schema of an object of any form, whose members are checked one by one."""


class _Seal(TypedDict, total=False):
    """The fields of an object that hold its checksum (`io/seals.py`)."""

    sealed: Any
    crc32: Any


_LARGEST = 1 << 26  # bytes of a document; the largest honest ones are of a few thousand features' settings
_LONGEST_REASON = 200
# Earlier versions wrote numbers that are not finite as Python does. Text in quotes is passed over.
_NOT_FINITE = re.compile(rb'("(?:[^"\\]|\\.)*")|-?\b(?:NaN|Infinity)\b')
_QUOTED_VALUE = re.compile(r"Invalid enum value .*?(?= - at|$)", re.DOTALL)


def read_document(path: StrPath, schema: type[T], advice: str) -> T:
    """Return the document in a file; FormatError with `advice`, the way out, for anything else."""
    with open_bytes(path) as stream:
        data = stream.read(_LARGEST + 1)
    if len(data) > _LARGEST:
        raise FormatError(f"is larger than {_LARGEST >> 20} MB; {advice}", path=display_name(path))
    document = decode(data, schema, path, advice)
    _check_seal(data, path, advice)
    return document


def is_sealed(path: StrPath) -> bool:
    """Return whether the object in a file has a checksum; FormatError if the checksum is wrong."""
    with open_bytes(path) as stream:
        return _check_seal(stream.read(_LARGEST), path, "get the file again")


def _check_seal(data: bytes, path: StrPath, advice: str) -> bool:
    if not data.lstrip().startswith(b"{"):
        return False
    found = {name: value for name, value in decode(data, _Seal, path, advice).items() if value is not None}
    try:
        return check_json(data, found, display_name(path))
    except FormatError as error:
        raise FormatError(f"{error.message}; {advice}", path=error.path) from None


def read_rows(path: StrPath, schema: type[T], advice: str) -> Iterator[T]:
    """Yield the documents in a file with one in each line."""
    with open_bytes(path) as stream:
        number = 0
        while line := stream.readline(_LARGEST + 1):
            number += 1
            if len(line) > _LARGEST:
                raise FormatError(
                    f"is longer than {_LARGEST >> 20} MB; {advice}", path=display_name(path), line=number
                )
            yield decode(line, schema, path, advice, number)


def write_document(path: StrPath, document: Any, *, seal: bool = False) -> None:
    """Write the file, whole or not at all. seal: with a checksum of itself, which readers verify."""
    content = plain(document)
    text = (
        sealed_json(content) if seal else json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    )
    with atomic_writer(path) as out:
        out.write(text)


def write_rows(path: StrPath, rows: Iterable[Any]) -> None:
    """Write a document in each line, whole or not at all."""
    with atomic_writer(path) as out:
        for row in rows:
            out.write(json.dumps(plain(row), ensure_ascii=False, allow_nan=False) + "\n")


def decode(data: bytes | str, schema: type[T], path: StrPath, advice: str, line: int | None = None) -> T:
    """Return the document that these bytes are; `path` and `line` are for messages."""
    name = display_name(path)
    try:
        try:
            return msgspec.json.decode(data, type=schema)
        except msgspec.DecodeError:
            text = data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data
            finite = _NOT_FINITE.sub(lambda found: found[1] or b"null", text)
            if finite == text:
                raise
            return msgspec.json.decode(finite, type=schema)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"is damaged ({_reason(error)}); {advice}", path=name, line=line) from None


def convert(value: Any, schema: type[T], path: StrPath, advice: str) -> T:
    """Convert a part of a document that was read without a schema."""
    try:
        return msgspec.convert(value, schema)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"is damaged ({_reason(error)}); {advice}", path=display_name(path)) from None


def plain(value: Any) -> Any:
    """Return the value in what JSON knows; numbers that are not finite become None."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    if isinstance(value, msgspec.Struct):
        return {name: plain(getattr(value, name)) for name in value.__struct_fields__}
    return value


def _reason(error: Exception) -> str:
    """Return what is wrong, without what the file holds."""
    if isinstance(error, RecursionError):
        return "its values are nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return f"text that is not UTF-8: {error.reason}"
    if isinstance(error, msgspec.ValidationError):
        return _QUOTED_VALUE.sub("a value that is not known", str(error))[:_LONGEST_REASON]
    return f"not JSON: {error}"[:_LONGEST_REASON]
