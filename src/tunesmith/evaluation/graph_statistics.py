"""What search graphs hold, and how good their translations are and could be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tunesmith.errors import ConfigError
from tunesmith.metrics import Bleu
from tunesmith.search.graphs.derivations import Floats
from tunesmith.search.graphs.formats import NamedGraphs
from tunesmith.search.graphs.oracle import OracleOptions


@dataclass(frozen=True)
class GraphStatistics:
    """Sizes of graphs.

    empty: graphs without nodes.   lattices: graphs whose edges have one tail at most and append to it.
    median_derivations: decimal logarithm of their number.   density: edges per word of the shortest reference,
    None without references.   best, oracle: BLEU; None without weights or references.
    fires: for each feature the share of edges in which it is not 0.
    """

    format: str
    sentences: int
    empty: int
    lattices: int
    nodes: int
    edges: int
    largest: int
    median_derivations: float
    density: float | None
    best: float | None
    oracle: float | None
    fires: dict[str, float]


def graph_statistics(
    named: NamedGraphs, weights: Floats | None = None, references: Sequence[Sequence[str]] | None = None
) -> GraphStatistics:
    """Count, and with references measure the best derivations (under weights) and oracles by BLEU."""
    counts, edges, logs = np.zeros(len(named.features), np.int64), list[int](), list[float]()
    nodes = lattices = 0
    for graph in named.graphs:
        core = graph.core
        nodes, lattices = nodes + graph.nodes, lattices + int(graph.is_lattice)
        edges.append(graph.edges)
        dense = core.dense.reshape(graph.edges, len(core.dense_ids))
        counts[core.dense_ids] += np.count_nonzero(dense, axis=0)
        counts += np.bincount(core.sparse_ids[core.sparse_values != 0], minlength=len(counts))
        if graph.nodes:
            logs.append(float(graph.counts(log=True)[-1]) / float(np.log(10)))
    total, density, best, oracle = sum(edges), None, None, None
    if references is not None:
        check_references(named, references)
        words = sum(min(len(text.split()) for text in texts) for texts in references)
        density = total / words if words else None
        oracle = bleu_of(oracle_texts(named, references), references)
        if weights is not None:
            best = bleu_of(best_texts(named, weights), references)
    fires = dict(zip(named.features, (counts / max(total, 1)).tolist(), strict=True))
    return GraphStatistics(
        named.format, len(edges), edges.count(0), lattices, nodes, total, max(edges, default=0),
        float(np.median(logs)) if logs else 0.0, density, best, oracle, fires,
    )  # fmt: skip


def check_references(named: NamedGraphs, references: Sequence[Sequence[str]]) -> None:
    """Raise ConfigError unless every graph has its references."""
    if len(references) != len(named.graphs):
        raise ConfigError(
            f"there are graphs of {len(named.graphs)} sentences and references for {len(references)}"
        )


def bleu_of(texts: Sequence[str], references: Sequence[Sequence[str]]) -> float:
    """Return BLEU of words without any tokenisation."""
    metric = Bleu(tokenize="none")
    return float(metric.score(metric.prepare(references).statistics(texts).sum(axis=0)))


def best_texts(named: NamedGraphs, weights: Floats) -> list[str]:
    """Return the best translation of each graph, empty for an empty graph."""
    found = (graph.best(named.scores(graph, weights)) for graph in named.graphs)
    return ["" if each is None else each.text(named.words.__getitem__) for each in found]


def oracle_texts(
    named: NamedGraphs, references: Sequence[Sequence[str]], beam: int = 50, *, worst: bool = False
) -> list[str]:
    """Return the translation of each graph with the best BLEU+1 (the worst with `worst`), by beam search."""
    check_references(named, references)
    options, texts = OracleOptions(metric=-1.0 if worst else 1.0, beam=beam), list[str]()
    for graph, each in zip(named.graphs, references, strict=True):
        if not graph.nodes:
            texts.append("")
            continue
        found = graph.oracle(np.zeros(graph.edges), each, named.words.__getitem__, options)
        texts.append(found.derivations[0].text(named.words.__getitem__))
    return texts
