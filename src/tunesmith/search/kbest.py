"""n-best lists as text, in any dialect we know."""

from __future__ import annotations

from tunesmith.io import StrPath
from tunesmith.io.writing import output_bytes
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.dialects import dialects


def read_kbest(path: StrPath, dialect: str = "moses") -> CandidateSet:
    """The candidates of a text file (plain, gzip, `-`)."""
    return dialects.make(dialect).read(path)


def write_kbest(candidates: CandidateSet, path: StrPath, dialect: str = "moses") -> None:
    """Write candidates as text (gzip if the name ends in .gz, `-` is standard output), all or nothing."""
    with output_bytes(path) as out:
        for block in dialects.make(dialect).write(candidates):
            out.write(block.encode("utf-8"))
