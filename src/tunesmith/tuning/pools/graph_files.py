"""Pools of search graphs in a folder: the graphs in one file, with what the pool knows of each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from tunesmith.errors import FormatError
from tunesmith.search.graphs.graph import SearchGraph
from tunesmith.search.graphs.graph_file import GraphSet, write_graphs
from tunesmith.tuning.pools.base import Integers
from tunesmith.tuning.pools.graph_model import GraphModel

GRAPHS = "graphs.bin"


class Written(Protocol):
    """What is written of a pool."""

    graphs: Sequence[SearchGraph]
    kept: Integers
    columns: int
    model: GraphModel


def write_pools(parts: Iterable[Written], folder: Path) -> None:
    """Write pools of consecutive sentences as one; a part is given up before the next is made."""
    folder.mkdir(parents=True, exist_ok=True)
    metadata: dict[str, Any] = {"kept": [], "columns": 0, "words": []}
    with write_graphs(folder / GRAPHS, metadata) as writer:
        for part in parts:
            for graph in part.graphs:
                writer.add(graph)
            metadata["kept"] += part.kept.tolist()
            metadata["columns"] = max(metadata["columns"], part.columns)
            metadata["words"] = list(part.model.words.new)


def open_pool(folder: Path, model: GraphModel) -> tuple[GraphSet, Integers, int]:
    """Read the graphs, their numbers of kept derivations, and the number of features. The model gets the words."""
    graphs = GraphSet(folder / GRAPHS)
    metadata, path = graphs.metadata, str(folder / GRAPHS)
    try:
        kept = np.array(metadata["kept"], dtype=np.int64)
        columns, words = int(metadata["columns"]), [str(word) for word in metadata["words"]]
    except (KeyError, TypeError, ValueError, OverflowError):
        raise FormatError("is not a pool of graphs", path=path) from None
    if kept.shape != (len(graphs),) or columns > len(model.features):
        raise FormatError("does not belong to this model", path=path)
    model.words.learn(words, path)
    return graphs, kept, columns
