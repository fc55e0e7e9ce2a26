"""Verification of weights files for `tunesmith check`."""

from __future__ import annotations

import re
from pathlib import Path

from tunesmith.errors import FormatError
from tunesmith.io import open_bytes
from tunesmith.io.checks import Report, formats
from tunesmith.weights import NO_CHECKSUM, Weights

_HEAD, _LINES = 1 << 16, 3
_WEIGHT = re.compile(rb"[^\t]+\t-?[0-9][0-9.e+-]*")


@formats.register("weights")
class WeightsCheck:
    """A file of weights by name."""

    noun = "a weights file"

    def recognises(self, path: Path) -> bool:
        """Recognise weights by signature, checksum line, or the name `weights.tsv`."""
        if not path.is_file():
            return False
        if path.name == "weights.tsv":
            return True
        try:
            with open_bytes(path) as stream:
                lines = stream.read(_HEAD).split(b"\n")
        except FormatError:
            if path.name.endswith(".tsv.gz"):  # damaged; the reader reports how
                return True
            raise
        end = next((at for at, line in enumerate(lines) if b"\t" in line), 0)
        if any(line.startswith(b"# crc32 ") for line in lines[:end]):
            return True
        signed = any(b"|version:" in line for line in lines[:end])
        return signed and any(map(_WEIGHT.fullmatch, lines[end : end + _LINES]))

    def verify(self, path: Path, report: Report) -> None:
        """Verify every byte if there is a checksum line, and parse every line in any case."""
        if Weights.read(path).sealed:
            report.is_whole(path)
        else:
            report.has_no_checksum(path, NO_CHECKSUM)
