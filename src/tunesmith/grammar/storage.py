"""The folder of a rule table: arrays, vocabularies, and the manifest that makes them one."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import FormatError, MissingFileError, TunesmithError
from tunesmith.io import StrPath, folders
from tunesmith.io.folders import new_folder

FORMAT = "tunesmith rule table"
VERSION = 1
MANIFEST = "manifest.json"
VOCABULARIES = ("source.vocab", "target.vocab")

# Name → type and length in terms of the numbers of the manifest.
ARRAYS: dict[str, tuple[str, Callable[[Mapping[str, int]], int]]] = {
    "source_offsets": ("<u8", lambda n: n["sources"] + 1),
    "source_symbols": ("<i4", lambda n: n["source_symbols"]),
    "source_rules": ("<u8", lambda n: n["sources"] + 1),
    "source_counts": ("<f8", lambda n: n["sources"]),
    "target_offsets": ("<u8", lambda n: n["rules"] + 1),
    "target_symbols": ("<i4", lambda n: n["target_symbols"]),
    "link_offsets": ("<u8", lambda n: n["rules"] + 1),
    "links": ("u1", lambda n: 2 * n["links"]),
    "scores": ("<f4", lambda n: n["rules"] * n["scores"]),
    "joint_counts": ("<f8", lambda n: n["rules"]),
    "target_counts": ("<f8", lambda n: n["rules"]),
    "occurrences": ("<u4", lambda n: n["rules"]),
    "pairs": ("<u4", lambda n: n["rules"]),
    "labels": ("<u8", lambda n: n["rules"]),
    "significance": ("<f4", lambda n: n["rules"]),
}
OPTIONAL = {"labels", "significance"}
_SIZES = ("rules", "sources", "source_symbols", "target_symbols", "links", "scores")
_BLOCK = 1 << 22
_LINES = 10_000


def new_table(path: StrPath) -> contextlib.AbstractContextManager[Path]:
    """A folder that becomes the rule table at `path`, in place of one that is there, when the block ends well."""
    return new_folder(path, _is_table, "rule table")


def refuse_other_data(target: Path) -> None:
    """Raise ConfigError unless the folder is missing, empty, or a rule table (which may be replaced)."""
    folders.refuse_other_data(target, _is_table, "rule table")


def _is_table(folder: Path) -> bool:
    """Whether the folder is a rule table, whole or damaged, and holds nothing else."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
        names = {entry.name for entry in folder.iterdir()}
    except (OSError, ValueError, RecursionError):
        return False
    return (
        isinstance(manifest, dict)
        and manifest.get("format") == FORMAT
        and names <= {*ARRAYS, *VOCABULARIES, MANIFEST}
    )


def seal(folder: Path, fields: dict[str, Any]) -> dict[str, Any]:
    """Write the manifest, which makes a folder of arrays a rule table."""
    if sys.byteorder != "little":
        raise TunesmithError("rule tables are written on little-endian machines only")
    size_of = {name: (folder / name).stat().st_size // np.dtype(ARRAYS[name][0]).itemsize for name in ARRAYS
               if (folder / name).exists()}  # fmt: skip
    numbers = {
        "rules": size_of["joint_counts"],
        "sources": size_of["source_counts"],
        "source_symbols": size_of["source_symbols"],
        "target_symbols": size_of["target_symbols"],
        "links": size_of["links"] // 2,
        "scores": len(fields["score_names"]),
    }
    files = {
        name: {"bytes": (folder / name).stat().st_size, "crc32": checksum(folder / name)}
        for name in (*size_of, *VOCABULARIES)
    }
    manifest = {"format": FORMAT, "format_version": VERSION, **fields, "numbers": numbers, "files": files}
    text = json.dumps(manifest, indent=1, ensure_ascii=False) + "\n"
    with (folder / MANIFEST).open("w", encoding="utf-8") as out:
        out.write(text)
        out.flush()
        os.fsync(out.fileno())
    return manifest


def checksum(path: Path) -> str:
    """CRC-32 of a file as eight hexadecimal digits."""
    value = 0
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            value = zlib.crc32(block, value)
    return f"{value:08x}"


def lines_checksum(lines: Sequence[str]) -> str:
    """CRC-32 of a text: that of a file with these lines, each ended by a line feed."""
    value = 0
    for begin in range(0, len(lines), _LINES):
        value = zlib.crc32("".join(f"{line}\n" for line in lines[begin : begin + _LINES]).encode(), value)
    return f"{value:08x}"


def read_manifest(folder: Path) -> dict[str, Any]:
    """The manifest, with everything checked that does not need the arrays: version, fields, sizes of files."""
    name = str(folder / MANIFEST)
    if folder.exists() and not folder.is_dir():
        raise FormatError("is a file; the folder of a rule table was expected", path=str(folder))
    if not folder.is_dir():
        raise MissingFileError(f"{folder}: no such folder; make a rule table with: tunesmith extract")
    try:
        text = (folder / MANIFEST).read_text(encoding="utf-8")
    except FileNotFoundError:
        raise FormatError(
            f"there is no {MANIFEST}, so this is not a rule table, or one that was not written to its end. "
            "Make it again with: tunesmith extract",
            path=str(folder),
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise FormatError(f"cannot be read ({error})", path=name) from None
    try:
        manifest = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FormatError(f"is not JSON ({error}); the table is damaged", path=name) from None
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise FormatError(f"is not the manifest of a rule table: format {FORMAT!r} was expected", path=name)
    version = manifest.get("format_version")
    if type(version) is not int or version < 1:
        raise FormatError(f"format_version {version!r} is not a number from 1 to {VERSION}", path=name)
    if version > VERSION:
        raise FormatError(
            f"the table has format version {version}, this tunesmith reads up to {VERSION}; "
            "update it with: pip install --upgrade tunesmith",
            path=name,
        )
    _check_fields(manifest, name)
    _check_files(manifest, folder)
    return manifest


def _check_fields(manifest: dict[str, Any], name: str) -> None:
    def expect(holds: object, what: str) -> None:
        if not holds:
            raise FormatError(f"{what}; the manifest is damaged", path=name)

    expect(manifest.get("kind") in ("phrase", "hiero"), "kind phrase or hiero was expected")
    numbers, files, names = (manifest.get(key) for key in ("numbers", "files", "score_names"))
    expect(
        isinstance(numbers, dict) and all(_is_count(numbers.get(key)) for key in _SIZES),
        f"numbers must hold {', '.join(_SIZES)}",
    )
    assert isinstance(numbers, dict)
    expect(
        isinstance(names, list) and all(isinstance(score, str) for score in names)
        and len(names) == numbers["scores"],
        "score_names must name every score",
    )  # fmt: skip
    expect(isinstance(files, dict), "files must name every file")
    assert isinstance(files, dict)
    for file in [*(set(ARRAYS) - OPTIONAL), *VOCABULARIES]:
        expect(file in files, f"files does not name {file}")
    for file, entry in files.items():
        expect(file in ARRAYS or file in VOCABULARIES, f"files names {file!r}, which no rule table has")
        expect(
            isinstance(entry, dict) and type(entry.get("bytes")) is int and isinstance(entry.get("crc32"), str),
            f"bytes and crc32 of {file} are expected",
        )
    for key in ("totals", "settings", "signature", "moses"):
        expect(isinstance(manifest.get(key, {}), dict), f"{key} must be an object")
    for key in ("settings", "signature"):
        expect(
            isinstance(manifest.get(key, {}).get("selections", []), list), f"selections of {key} must be a list"
        )
    expect(all(_is_count(value) for value in manifest.get("totals", {}).values()), "totals must be counts")
    moses = {"label": "X", "counts": 3, "dropped_fields": 0, **manifest.get("moses", {})}
    expect(
        isinstance(moses["label"], str)
        and re.fullmatch(r"[^\s\[\]|]+", moses["label"])
        and moses["counts"] in (0, 1, 2, 3)
        and type(moses["counts"]) is int
        and _is_count(moses["dropped_fields"]),
        "moses must have a label, 0 to 3 counts and a number of dropped_fields",
    )
    labels = manifest.get("labels", [])
    expect(isinstance(labels, list) and all(isinstance(label, str) for label in labels), "labels must be texts")


def _is_count(value: object) -> bool:
    return type(value) is int and 0 <= value < 2**60


def _check_files(manifest: dict[str, Any], folder: Path) -> None:
    for name, entry in manifest["files"].items():
        try:
            size = (folder / name).stat().st_size
        except OSError:
            raise FormatError(f"is missing; the table {folder} is not complete", path=str(folder / name)) from None
        expected = entry["bytes"]
        if name in ARRAYS:
            kind, length = ARRAYS[name]
            expected = length(manifest["numbers"]) * np.dtype(kind).itemsize
        if not size == expected == entry["bytes"]:
            raise FormatError(
                f"has {size} bytes, {expected} were expected; the file is damaged or cut off",
                path=str(folder / name),
            )


def map_array(folder: Path, name: str, length: int) -> NDArray[Any]:
    """An array of the table, read from disk where it is touched."""
    kind = np.dtype(ARRAYS[name][0])
    if length == 0:  # an empty file cannot be mapped
        return np.empty(0, dtype=kind)
    return np.memmap(folder / name, dtype=kind, mode="r", shape=(length,))
