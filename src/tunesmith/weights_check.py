"""Weights files for `tunesmith check`."""

from __future__ import annotations

from pathlib import Path

from tunesmith.io import open_bytes
from tunesmith.io.checks import Report, formats
from tunesmith.weights import NO_CHECKSUM, Weights

_HEAD = 1 << 16


@formats.register("weights")
class WeightsCheck:
    """A file of weights by name."""

    noun = "a weights file"

    def recognises(self, path: Path) -> bool:
        """By its signature or its checksum line, or by the name that ours have."""
        if not path.is_file():
            return False
        if path.name == "weights.tsv":
            return True
        with open_bytes(path) as stream:
            lines = stream.read(_HEAD).split(b"\n")
        header = lines[: next((at for at, line in enumerate(lines) if b"\t" in line), 0)]
        return any(b"|version:" in line or line.startswith(b"# crc32 ") for line in header)

    def verify(self, path: Path, report: Report) -> None:
        """Every byte, where there is a checksum line; every line in any case."""
        if Weights.read(path).sealed:
            report.is_whole(path)
        else:
            report.has_no_checksum(path, NO_CHECKSUM)
