"""Folders of arrays: memory-mapped files and the manifest that makes them one.

A folder appears whole or not at all. Its manifest is written last, with the size and checksum of every file, so
that one that was cut off, mixed up or damaged is recognised.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tunesmith.errors import FormatError, MissingFileError, TunesmithError
from tunesmith.io.documents import Document, decode
from tunesmith.io.folders import new_folder
from tunesmith.io.inside import inside
from tunesmith.io.paths import StrPath
from tunesmith.io.seals import check_json, sealed_json
from tunesmith.io.verify import FileChecks, file_checksum

MANIFEST = "manifest.json"
_MOST_ENTRIES = 2**60


@dataclass(frozen=True)
class FolderFormat:
    """What a folder of arrays calls itself.

    name: in the manifest.   version: the highest that is read, and that is written.
    noun: in messages (`a rule table`).   advice: how to get another one, for messages.
    """

    name: str
    version: int
    noun: str
    advice: str


def new_arrays(path: StrPath, form: FolderFormat) -> contextlib.AbstractContextManager[Path]:
    """Yield a folder that replaces `path` when the block ends without an error; `path` must have the same form."""
    return new_folder(path, holds_only(form), form.noun.removeprefix("a "))


def holds_only(form: FolderFormat) -> Callable[[Path], bool]:
    """Return whether a folder is of this form, whole or damaged, and holds nothing but what its manifest names."""

    def holds(folder: Path) -> bool:
        try:
            manifest = json.loads((inside(folder) / MANIFEST).read_text(encoding="utf-8"))
            names = {entry.name for entry in folder.iterdir()}
            return manifest["format"] == form.name and names <= {*manifest["files"], MANIFEST}
        except (OSError, ValueError, RecursionError, TypeError, KeyError):
            return False

    return holds


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write the manifest and wait for the disk; nothing is in the folder's name before."""
    if sys.byteorder != "little":
        raise TunesmithError("folders of arrays are written on little-endian machines only")
    with (folder / MANIFEST).open("w", encoding="utf-8") as out:
        out.write(sealed_json(manifest))
        out.flush()
        os.fsync(out.fileno())


def load_manifest(folder: Path, form: FolderFormat) -> dict[str, Any]:
    """Return the manifest as JSON; its name, its version and, where it has one, its own checksum are checked."""
    name = str(folder / MANIFEST)
    if folder.exists() and not folder.is_dir():
        raise FormatError(f"is a file; expected the folder of {form.noun}", path=str(folder))
    if not folder.is_dir():
        raise MissingFileError(f"{folder}: no such folder; {form.advice}")
    try:
        data = (folder / MANIFEST).read_bytes()
    except FileNotFoundError:
        raise FormatError(
            f"there is no {MANIFEST}, so this is not {form.noun}, or one that was not written to its end; "
            f"{form.advice}",
            path=str(folder),
        ) from None
    except OSError as error:
        raise FormatError(f"cannot be read ({error.strerror})", path=name) from None
    manifest = decode(data, Document, name, form.advice)
    if manifest.get("format") != form.name:
        raise FormatError(f"is not the manifest of {form.noun}: format must be {form.name!r}", path=name)
    version = manifest.get("format_version")
    if type(version) is not int or version < 1:
        raise FormatError(f"format_version is not a number from 1 to {form.version}", path=name)
    if version > form.version:
        raise FormatError(
            f"the format version is {version}, this tunesmith reads up to {form.version}; "
            "update it with: pip install --upgrade tunesmith",
            path=name,
        )
    check_json(data, manifest, name)
    return manifest


def write_array(folder: Path, name: str, array: NDArray[Any]) -> None:
    array = np.ascontiguousarray(array)
    with (folder / name).open("wb") as out:
        out.write(array.reshape(-1).view(np.uint8).data)


Stored = tuple[str, tuple[int, ...]]
"""Type and shape of an array in a file."""


def seal_arrays(folder: Path, form: FolderFormat, fields: Mapping[str, Any], arrays: Mapping[str, Stored]) -> None:
    """Write the manifest over the files of the folder, of which these are arrays."""
    files: dict[str, dict[str, Any]] = {}
    for path in sorted(folder.iterdir()):
        files[path.name] = {"bytes": path.stat().st_size, "crc32": file_checksum(path)}
        if path.name in arrays:
            kind, shape = arrays[path.name]
            files[path.name] |= {"type": kind, "shape": list(shape)}
    write_manifest(folder, {"format": form.name, "format_version": form.version, **fields, "files": files})


def read_arrays(
    folder: Path, form: FolderFormat, types: Mapping[str, str]
) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """Return the manifest and the arrays, mapped: read from disk where they are touched.

    types: for each name the types it may have, as dtype strings with `/` between them, and its dimensions after a
    colon (`<f4/<f8:2`). Arrays with other names are an error, missing ones are not.
    """
    manifest = load_manifest(folder, form)
    name = str(folder / MANIFEST)
    files = manifest.get("files")
    if not isinstance(files, dict):
        raise FormatError("files must name every file; the manifest is damaged", path=name)
    arrays = {}
    for file, entry in files.items():
        if not isinstance(entry, dict) or type(entry.get("bytes")) is not int or not is_name(file):
            raise FormatError(f"expected bytes and crc32 of {file!r}; it is damaged", path=name)
        check_size(folder / file, entry["bytes"])
        if "type" not in entry:
            continue
        kind, shape = entry["type"], entry.get("shape")
        allowed, _, dimensions = types.get(file, "").partition(":")
        if (
            file not in types
            or kind not in allowed.split("/")
            or not (
                isinstance(shape, list)
                and len(shape) == int(dimensions)
                and all(type(size) is int and 0 <= size < _MOST_ENTRIES for size in shape)
            )
        ):
            raise FormatError(f"the array {file!r} has a type or shape that is not expected", path=name)
        arrays[file] = _map(folder / file, kind, shape, entry["bytes"])
    return manifest, arrays


def is_name(file: str) -> bool:
    """Return whether a name is that of a file inside a folder, and of nothing elsewhere."""
    return file not in ("", ".", "..") and not re.search(r"[/\0\ud800-\udfff]", file)


def verify_files(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Read every file and compare its checksum; FormatError names the one that is damaged."""
    FileChecks(folder, manifest["files"]).now(*manifest["files"])


def check_size(path: Path, expected: int) -> None:
    """Raise FormatError unless the file is there and has this number of bytes."""
    try:
        size = path.stat().st_size
    except OSError:
        raise FormatError("is missing; the folder is not complete", path=str(path)) from None
    if size != expected:
        raise FormatError(f"expected {expected} bytes, got {size}; the file is damaged or cut off", path=str(path))


def _map(path: Path, kind: str, shape: list[int], size: int) -> NDArray[Any]:
    entries = math.prod(shape)
    if entries * np.dtype(kind).itemsize != size:
        raise FormatError(f"has {size} bytes, which are not {shape} numbers of type {kind}", path=str(path))
    if entries == 0:  # an empty file cannot be mapped
        return np.empty(shape, dtype=kind)
    return map_file(path, kind, tuple(shape))


def map_file(path: Path, kind: DTypeLike, shape: tuple[int, ...] | None) -> NDArray[Any]:
    """Map the array in a file, read from disk where it is touched.   shape: None for one row of the whole file."""
    with path.open("rb") as stream:
        return np.memmap(stream, dtype=kind, mode="r", shape=shape)
