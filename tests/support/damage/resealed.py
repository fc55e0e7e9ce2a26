"""Files whose checksums fit what was changed in them, or are gone, as who edits a file by hand removes them."""

from __future__ import annotations

import json
from pathlib import Path

from tunesmith.io.arrays import MANIFEST, write_manifest
from tunesmith.io.verify import file_checksum


def reseal(folder: Path) -> None:
    """Give every file of the folder the size and the checksum that it has now."""
    manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    for name, entry in manifest["files"].items():
        entry |= {"bytes": (folder / name).stat().st_size, "crc32": file_checksum(folder / name)}
    write_manifest(folder, manifest)


def unsealed(folder: Path) -> dict[str, object]:
    """The manifest of a folder without its own checksum, as earlier versions wrote it."""
    manifest: dict[str, object] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    return {key: value for key, value in manifest.items() if key not in ("sealed", "crc32")}


def edited(path: Path) -> Path:
    """A text of tunesmith without its checksum line, for changes by hand."""
    lines = path.read_text(encoding="utf-8").split("\n")
    path.write_text("\n".join(line for line in lines if not line.startswith("# crc32 ")), encoding="utf-8")
    return path
