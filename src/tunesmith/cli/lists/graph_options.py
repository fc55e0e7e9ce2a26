"""Options of verbs that read search graphs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any

from tunesmith.cli import options
from tunesmith.cli.console import remark
from tunesmith.cli.declaring import argument, option
from tunesmith.cli.weights_file import read_weights
from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.search.graphs.derivations import Floats
    from tunesmith.search.graphs.formats import NamedGraphs
    from tunesmith.weights import Weights

GraphFiles = Annotated[list[str], argument(
    "GRAPH…", "Files of search graphs in the order of the sentences, or a folder of 0.gz, 1.gz, …"
)]  # fmt: skip
GraphFormatName = Annotated[str | None, option(
    "--graph-format NAME", "Format of the graphs: tunesmith, moses-hypergraph, moses-search-graph, slf, "
    "cdec-json, plf, openfst; with settings after a colon, such as openfst:symbols=FILE.", options.DETAILS,
    show_default="recognised",
)]  # fmt: skip
References = Annotated[list[str], option("--refs FILE…", "References.")]


@dataclass(frozen=True)
class GraphInput:
    """How search graphs are read and scored."""

    weights: Annotated[
        str | None, option("-W --weights FILE", "Weights by name that derivations are scored with.")
    ] = None
    graph_format: GraphFormatName = None
    quiet: options.Quiet = False

    @cached_property
    def _named_weights(self) -> Weights | None:
        return None if self.weights is None else read_weights(self.weights, quiet=self.quiet)

    def read(self, files: Sequence[str]) -> NamedGraphs:
        """Read the graphs; a mistake in the file of weights is reported before."""
        from tunesmith.search.graphs.formats import read_graphs

        _ = self._named_weights
        return read_graphs(files, self.graph_format)

    def vector(self, named: NamedGraphs) -> Floats | None:
        """Return the weights by number, None where none are given; features that no graph has are said."""
        if self._named_weights is None:
            return None
        vector, unknown = named.features.vector(self._named_weights)
        if unknown:
            shown = ", ".join(unknown[:5]) + (", …" if len(unknown) > 5 else "")
            remark(f"weights of {len(unknown)} features that no graph has are left out: {shown}", quiet=self.quiet)
        return vector

    def needed_vector(self, named: NamedGraphs) -> Floats:
        """Return the weights by number; ConfigError where none are given."""
        vector = self.vector(named)
        if vector is None:
            raise ConfigError("derivations are scored with weights: give -W FILE")
        return vector

    def references(self, ctx: Any, words: Sequence[str], files: Sequence[str]) -> Sequence[Sequence[str]] | None:
        """Return references of the sentences, None where none are given."""
        from tunesmith.cli.evaluation.evaluation_input import read_reference_files

        return read_reference_files(ctx, words, files, quiet=self.quiet).sentences if words else None
