"""Candidate sets and search graphs for `tunesmith check`."""

from __future__ import annotations

from pathlib import Path

from tunesmith.errors import FormatError
from tunesmith.io.checks import Report, formats, is_folder_of, is_like, verify_arrays
from tunesmith.search.candidate_folder import FEATURES, FORMAT
from tunesmith.search.graph_file import MAGIC, GraphSet


@formats.register("candidate set")
class CandidatesCheck:
    """The folder of a candidate set."""

    noun = FORMAT.noun

    def recognises(self, path: Path) -> bool:
        """By its manifest or its files."""
        return is_folder_of(path, FORMAT, FEATURES, "offsets")

    def verify(self, path: Path, report: Report) -> None:
        """All files that the manifest names."""
        verify_arrays(path, FORMAT, report)


@formats.register("search graphs")
class GraphsCheck:
    """A file of search graphs, each with a checksum."""

    noun = "a file of search graphs"

    def recognises(self, path: Path) -> bool:
        """By how it begins."""
        return is_like(path, MAGIC)

    def verify(self, path: Path, report: Report) -> None:
        """Read every graph."""
        with GraphSet(path) as graphs:
            for at in range(len(graphs)):
                try:
                    graphs[at]
                except FormatError as error:
                    raise FormatError(f"graph {at}: {error.message}", path=str(path)) from None
        report.is_whole(path)
