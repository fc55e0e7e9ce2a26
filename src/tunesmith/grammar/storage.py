"""The folder of a rule table: arrays, vocabularies, and the manifest that makes them one."""

from __future__ import annotations

import contextlib
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import FormatError
from tunesmith.grammar.reordering import MODELS, options_of_columns
from tunesmith.io import StrPath, folders
from tunesmith.io.arrays import (
    MANIFEST,
    FolderFormat,
    check_size,
    holds_only,
    load_manifest,
    map_file,
    new_arrays,
    write_manifest,
)
from tunesmith.io.documents import Count, convert
from tunesmith.io.verify import file_checksum

FORMAT = "tunesmith rule table"
VERSION = 1
TABLE = FolderFormat(FORMAT, VERSION, "a rule table", "make a rule table with: tunesmith extract")
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
    "reordering": ("<f4", lambda n: n["rules"] * n.get("reordering", 0)),
}
OPTIONAL = {"labels", "significance", "reordering"}
CORE_ARRAYS = ("source_offsets", "source_rules", "target_offsets", "link_offsets", "source_symbols",
               "target_symbols", "links", "scores", "source_counts", "target_counts", "joint_counts")  # fmt: skip
"""Arrays that the core takes to compare rules with others."""
_SIZES = ("rules", "sources", "source_symbols", "target_symbols", "links", "scores")
_LINES = 10_000


def new_table(path: StrPath) -> contextlib.AbstractContextManager[Path]:
    """Yield a folder that replaces the rule table at `path` when the block ends without an error."""
    return new_arrays(path, TABLE)


def refuse_other_data(target: Path) -> None:
    """Raise ConfigError unless the folder is missing, empty, or a rule table (which may be replaced)."""
    folders.refuse_other_data(target, holds_only(TABLE), TABLE.noun.removeprefix("a "))


def seal(folder: Path, fields: dict[str, Any]) -> dict[str, Any]:
    """Write the manifest, which makes a folder of arrays a rule table."""
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
    if "reordering" in fields:
        numbers["reordering"] = len(fields["reordering"]["columns"])
    files = {
        name: {"bytes": (folder / name).stat().st_size, "crc32": file_checksum(folder / name)}
        for name in (*size_of, *VOCABULARIES)
    }
    manifest = {"format": FORMAT, "format_version": VERSION, **fields, "numbers": numbers, "files": files}
    write_manifest(folder, manifest)
    return manifest


def fields_of(manifest: Mapping[str, Any]) -> dict[str, Any]:
    """Return what `seal` was given when it wrote this manifest."""
    made = ("format", "format_version", "numbers", "files")
    return {key: value for key, value in manifest.items() if key not in made}


def lines_checksum(lines: Sequence[str]) -> str:
    """Return the CRC-32 of a file with these lines, each ended by a line feed."""
    value = 0
    for begin in range(0, len(lines), _LINES):
        value = zlib.crc32("".join(f"{line}\n" for line in lines[begin : begin + _LINES]).encode(), value)
    return f"{value:08x}"


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest and check all that does not need the arrays: version, fields, sizes of files."""
    manifest = load_manifest(folder, TABLE)
    _check_fields(manifest, str(folder / MANIFEST))
    _check_files(manifest, folder)
    return manifest


class _File(msgspec.Struct):
    bytes: Count
    crc32: str


class _Moses(msgspec.Struct):
    """label, counts: of the table that was read.   dropped_fields: that it had, and ours has not."""

    label: Annotated[str, msgspec.Meta(pattern=r"\A[^\s\[\]|]+\Z")] = "X"
    counts: Annotated[int, msgspec.Meta(ge=0, le=3)] = 3
    dropped_fields: Count = 0


class _Reordering(msgspec.Struct):
    model: str
    columns: list[str]


class _Settings(msgspec.Struct):
    rules: dict[str, Any] | None = None
    scores: dict[str, Any] = {}
    selections: list[Any] = []


class _Signature(msgspec.Struct):
    data: dict[str, Any] = {}
    selections: list[Any] = []


class _Manifest(msgspec.Struct):
    """What a manifest holds in addition to its format and version."""

    kind: Literal["phrase", "hiero"]
    numbers: dict[str, Count]
    score_names: list[str]
    files: dict[str, _File]
    totals: dict[str, Count] = {}
    settings: _Settings = msgspec.field(default_factory=_Settings)
    signature: _Signature = msgspec.field(default_factory=_Signature)
    moses: _Moses = msgspec.field(default_factory=_Moses)
    reordering: _Reordering | None = None
    labels: list[str] = []


def _check_fields(manifest: dict[str, Any], name: str) -> None:
    def expect(holds: object, what: str) -> None:
        if not holds:
            raise FormatError(f"{what}; the manifest is damaged", path=name)

    found = convert(manifest, _Manifest, name, TABLE.advice)
    expect(all(key in found.numbers for key in _SIZES), f"numbers must hold {', '.join(_SIZES)}")
    expect(len(found.score_names) == found.numbers["scores"], "score_names must name every score")
    for file in [*(set(ARRAYS) - OPTIONAL), *VOCABULARIES]:
        expect(file in found.files, f"files does not name {file}")
    expect(
        all(file in ARRAYS or file in VOCABULARIES for file in found.files), "files names other files than ours"
    )
    reordering = found.reordering
    expect(
        (reordering is None) == ("reordering" not in found.files),
        "reordering must be described where it is a file",
    )
    if reordering is not None:
        expect(
            found.kind == "phrase"
            and reordering.model in MODELS
            and options_of_columns(reordering.columns, reordering.model) is not None
            and found.numbers.get("reordering") == len(reordering.columns),
            "reordering must have a model and known columns",
        )


def _check_files(manifest: dict[str, Any], folder: Path) -> None:
    for name, entry in manifest["files"].items():
        expected = entry["bytes"]
        if name in ARRAYS:
            kind, length = ARRAYS[name]
            expected = length(manifest["numbers"]) * np.dtype(kind).itemsize
        path = folder / name
        check_size(path, expected)
        if entry["bytes"] != expected:
            check_size(path, entry["bytes"])


def map_array(folder: Path, name: str, length: int) -> NDArray[Any]:
    """Return an array of the table, read from disk where it is touched."""
    kind = np.dtype(ARRAYS[name][0])
    if length == 0:  # an empty file cannot be mapped
        return np.empty(0, dtype=kind)
    return map_file(folder / name, kind, (length,))
