"""Search graphs by the names of their files: of any format, one file or folder after the other."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tunesmith import _core
from tunesmith.corpus.bitext import expand_paths
from tunesmith.errors import ConfigError, FormatError, core_errors
from tunesmith.features.index import FeatureIndex
from tunesmith.io import StrPath, display_name, iter_lines
from tunesmith.io.checks import is_like
from tunesmith.search.graphs.derivations import Floats
from tunesmith.search.graphs.formats.base import GraphFormat, Names, graph_formats, make_format
from tunesmith.search.graphs.graph import SearchGraph
from tunesmith.search.graphs.graph_file import MAGIC, GraphSet, write_graphs

_NUMBERED = re.compile(r"([0-9]+)(\.[^/]*)?")
_HEAD = 8
OWN = "tunesmith"


@dataclass(frozen=True, eq=False)
class NamedGraphs:
    """Search graphs with all features on their edges, the graph of each sentence in order.

    features, words: what the numbers in the graphs stand for.   format: of the files.
    """

    graphs: Sequence[SearchGraph]
    features: FeatureIndex
    words: Sequence[str]
    format: str

    def scores(self, graph: SearchGraph, weights: Floats) -> Floats:
        """Return the score of each edge of one of the graphs."""
        with core_errors(None):
            return _core.graph_scores(graph.core, None, weights)

    def write(self, path: StrPath) -> None:
        """Write all of it to one file, which `read_graphs` opens by mapping."""
        with write_graphs(path, {"features": list(self.features), "words": list(self.words)}) as writer:
            for graph in self.graphs:
                writer.add(graph)


def read_graphs(paths: Sequence[StrPath] | StrPath, format: str | None = None) -> NamedGraphs:
    """Read the graphs of files, or of a folder with a numbered file for each sentence (`0.gz`, `1.gz`, …).

    format: its name, with settings after a colon where it has some (`openfst:symbols=FILE`); recognised by the
        first lines of each file where it is not given.
    """
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    files = graph_paths([os.fspath(path) for path in given])
    wanted = None if format in (None, OWN) else make_format(str(format))
    own = [path for path in files if path != "-" and is_like(Path(path), MAGIC)]
    if own:
        if len(files) > 1:
            raise ConfigError(f"{own[0]}: a file of tunesmith's graphs is read alone, got {len(files)} files")
        return _own_graphs(own[0])
    if format == OWN:
        raise FormatError("is not a file of search graphs", path=display_name(files[0]))
    names, graphs, used = Names(), list[SearchGraph](), dict[str, None]()
    for path in files:
        lines = iter_lines(path)
        head = list(itertools.islice(lines, _HEAD))
        found = wanted or _recognised(head, display_name(path))
        used[found.name] = None
        graphs += found.read(itertools.chain(head, lines), display_name(path), names)
    return NamedGraphs(graphs, names.features.index, list(names.words), ", ".join(used))


def graph_paths(words: Sequence[str]) -> list[str]:
    """Return files as they are, quoted globs as what they match, and folders as their numbered files in order."""
    found: list[str] = []
    for path in expand_paths(words):
        if path != "-" and Path(path).is_dir():
            found += _numbered_files(Path(path))
        else:
            found.append(path)
    if not found:
        raise ConfigError("there is no file of search graphs; name files, or a folder of 0.gz, 1.gz, …")
    return found


def _numbered_files(folder: Path) -> Iterator[str]:
    """Yield the files of a folder by their numbers, which must be those of consecutive sentences."""
    numbered: dict[int, str] = {}
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        match = _NUMBERED.fullmatch(path.name)
        if match is None or len(match[1]) > 9:
            raise FormatError(
                f"has a file {path.name!r}; expected a numbered file for each sentence, such as 0.gz",
                path=str(folder),
            )
        if (number := int(match[1])) in numbered:
            raise FormatError(f"has two files of graph {number}: {path.name!r} is one", path=str(folder))
        numbered[number] = str(path)
    if not numbered:
        raise FormatError("is an empty folder; expected a numbered file for each sentence", path=str(folder))
    first = min(numbered)
    if first > 1:
        raise FormatError(f"begins with graph {first}; expected 0 or 1", path=str(folder))
    for number in range(first, first + len(numbered)):
        if number not in numbered:
            raise FormatError(
                f"has no graph {number}, but later ones; each sentence needs its graph, an empty one where "
                "nothing was found",
                path=str(folder),
            )
        yield numbered[number]


def _recognised(head: Sequence[str], name: str) -> GraphFormat:
    for each in graph_formats:
        made = graph_formats.make(each)
        if made.detect(head):
            return made
    what = "unrecognised format of search graphs" if any(line.strip() for line in head) else "the file is empty"
    raise FormatError(
        f"{what}; known formats: {', '.join(graph_formats)}. Name it with --graph-format", path=name, line=1
    )


def _own_graphs(path: str) -> NamedGraphs:
    graphs = GraphSet(path)
    try:
        features = [str(name) for name in graphs.metadata["features"]]
        words = [str(word) for word in graphs.metadata["words"]]
        index = FeatureIndex(features)
    except (KeyError, TypeError, ConfigError):
        graphs.close()
        raise FormatError(
            "has graphs without the names of their features; write one with tunesmith graphs convert", path=path
        ) from None
    return NamedGraphs(graphs, index, words, OWN)
