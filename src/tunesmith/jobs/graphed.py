"""Search graphs in files, as a description that can travel."""

from __future__ import annotations

from pathlib import Path

import msgspec

from tunesmith.corpus.bitext import expand_paths
from tunesmith.errors import ConfigError
from tunesmith.jobs.opening import MakeSources, Opening, Sources
from tunesmith.jobs.texts import read_reference_files
from tunesmith.search.graphs.formats import graph_paths, read_graphs
from tunesmith.search.graphs.formats.base import with_absolute_files
from tunesmith.tuning.sources.graph_files import GraphFileSource


class Graphed(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="graphs"):
    """Search graphs to tune on.

    graphs: a folder with a numbered file for each sentence, or files in the order of the sentences.
    format: of the files, with settings after a colon; None where it is recognised.
    subwords: the pieces that words are in; None for what their marks show.
    """

    graphs: tuple[str, ...]
    references: tuple[str, ...]
    format: str | None = None
    subwords: str | None = None

    gives = ("graphs",)
    missing_train = "-m FOLDER --train FILE"

    def has_train(self) -> bool:
        return False

    def sealed(self) -> Graphed:
        """Return the job with absolute names; the run directory keeps a digest of the graphs."""
        graphs, references = (
            tuple(str(Path(path).resolve()) for path in expand_paths(files))
            for files in (self.graphs, self.references)
        )
        format = None if self.format is None else with_absolute_files(self.format)
        return msgspec.structs.replace(self, graphs=graphs, references=references, format=format)

    def open(self, given: Opening) -> MakeSources:
        """Read the graphs; they are the same at every call of the result."""
        if not self.references:
            raise ConfigError("search graphs need references: --refs FILE…")
        files = graph_paths(self.graphs)
        references = read_reference_files(self.references, files, given.observer.remark).sentences
        found = read_graphs(files, self.format)
        edges = sum(graph.edges for graph in found.graphs)
        given.observer.note(
            f"{len(found.graphs)} search graphs ({found.format}), {edges} edges, {len(found.features)} features; "
            "they stay the same, so that one round says all and no derivations are aggregated"
        )
        sources = Sources(GraphFileSource(found, references, given.graphs, subwords=self.subwords))
        return lambda k: sources
