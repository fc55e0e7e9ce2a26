"""Derivations of earlier rounds in the graphs of a newer one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

import numpy as np

from tunesmith import _core
from tunesmith.errors import ConfigError, core_errors
from tunesmith.search.graphs.graph import SearchGraph
from tunesmith.tuning.pools.base import Integers
from tunesmith.tuning.pools.graph_model import GraphModel
from tunesmith.tuning.pools.visited import Visited


class Merged(Protocol):
    """What is read of a pool."""

    graphs: Sequence[SearchGraph]
    kept: Integers
    model: GraphModel
    sentences: int


def with_kept(
    older: Merged, newer: Merged, sentences: Iterable[int], columns: int, visits: Visited | None
) -> tuple[list[SearchGraph], Integers]:
    """Merge newer graphs with kept and visited derivations of older ones; return also how much each keeps."""
    if newer.sentences != older.sentences:
        raise ConfigError(f"there are graphs of {newer.sentences} sentences for {older.sentences}")
    found, rules = [], older.model.native_rules
    nothing = np.zeros(1, np.uint64), np.empty(0, np.uint32)
    for at in sentences:
        offsets, edges = nothing if visits is None else visits.of(at)
        new, old = newer.graphs[at].core, older.graphs[at].core
        with core_errors(None):
            found.append(_core.with_kept(new, old, int(older.kept[at]), offsets, edges, rules, columns))
    return [SearchGraph(graph) for graph, _ in found], np.array([kept for _, kept in found], dtype=np.int64)
