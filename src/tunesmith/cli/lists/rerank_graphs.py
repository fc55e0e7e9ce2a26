"""`tunesmith rerank` of search graphs: the best translation by weights, or the one of least Bayes risk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from itertools import islice
from pathlib import Path

from tunesmith.cli.lists.graph_options import GraphInput
from tunesmith.errors import ConfigError, TunesmithError


def holds_graphs(file: str | None) -> bool:
    """Return whether a file (or a folder of numbered files) has search graphs; False for standard input."""
    from tunesmith.io import iter_lines
    from tunesmith.io.checks import is_like
    from tunesmith.search.dialects import detect_dialect
    from tunesmith.search.graphs.formats import graph_formats
    from tunesmith.search.graphs.formats.reading import graph_paths
    from tunesmith.search.graphs.graph_file import MAGIC

    if file in (None, "-") or not Path(str(file)).exists():
        return False
    try:
        [path, *_] = graph_paths([str(file)])
        if is_like(Path(path), MAGIC):
            return True
        head = list(islice(iter_lines(path), 8))
    except TunesmithError:  # whoever reads it as a list says so
        return False
    recognised = any(graph_formats.make(name).detect(head) for name in graph_formats)
    return recognised and detect_dialect(head) is None


def rerank_graphs(
    file: str,
    how: GraphInput,
    bayes_risk: str | None,
    scale: float,
    unused: Mapping[str, object],
    *,
    subwords: str | None,
    output: str,
    threads: int,
) -> None:
    """Print a line for each graph.   unused: options of lists by name; None for those that were not given."""
    from tunesmith.cli.lists.graph_mbr import mbr
    from tunesmith.cli.lists.graphs import best
    from tunesmith.cli.translation.mbr_options import MbrSettings

    if given := [name for name, value in unused.items() if value is not None]:
        raise ConfigError(f"{file} has search graphs, no lists: leave out {', '.join(given)} (see graphs kbest)")
    if bayes_risk is None:
        best(files=[file], **asdict(how), subwords=subwords, output=output)
        return
    if bayes_risk != "bleu":
        raise ConfigError(f"the risk of search graphs is that of bleu, not {bayes_risk} (--mbr bleu)")
    if subwords is not None:
        raise ConfigError("translations of least risk have the words of the graphs: leave out --subwords")
    mbr(files=[file], **asdict(how), **asdict(MbrSettings(mbr_scale=scale)), output=output, threads=threads)
