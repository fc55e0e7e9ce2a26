"""Verification of candidate sets and search graphs for `tunesmith check`."""

from __future__ import annotations

from pathlib import Path

from tunesmith.errors import FormatError
from tunesmith.io.checks import ArraysFormat, Report, formats, is_like
from tunesmith.search.graphs.graph_file import MAGIC, GraphSet
from tunesmith.search.lists.candidate_folder import FEATURES, FORMAT

formats.register("candidate set")(lambda: ArraysFormat(FORMAT, (FEATURES, "offsets")))


@formats.register("search graphs")
class GraphsCheck:
    """Format of files of search graphs, each graph with a checksum."""

    noun = "a file of search graphs"

    def recognises(self, path: Path) -> bool:
        return is_like(path, MAGIC)

    def verify(self, path: Path, report: Report) -> None:
        with GraphSet(path) as graphs:
            for at in range(len(graphs)):
                try:
                    graphs[at]
                except FormatError as error:
                    raise FormatError(f"graph {at}: {error.message}", path=str(path)) from None
        report.is_whole(path)
