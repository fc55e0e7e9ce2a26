"""Sums over whole search graphs: risk with its gradient, and minimum Bayes risk, on graphs of 50 edges a word.

A hierarchical model of zh-en is trained first (../shared/data). Graphs are those of the development data under
start weights; a time is the median of CPU times of one thread, decoding not counted. The same risk on lists of 100
is there for comparison.
"""

from __future__ import annotations

import argparse
import functools
import tempfile
from pathlib import Path
from typing import Any

import measure
import numpy as np
from speed_graph_tuning import DATA, milliseconds, pools, trained

from tunesmith import _core
from tunesmith.metrics import Bleu
from tunesmith.search.graphs.graph_bayes_risk import GraphBayesRisk
from tunesmith.tuning.losses import ExpectedGain

DENSITY = 50.0


def sums(model: Path, sentences: int) -> dict[str, Any]:
    graphs, lists, start, _ = pools(model, sentences, DENSITY)
    count = graphs.sentences
    random = np.random.default_rng(1)

    def nearby() -> Any:
        return start + 1e-6 * random.normal(size=len(start))

    objective: Any = ExpectedGain().prepare(graphs, Bleu(), 1)
    first = milliseconds(lambda: ExpectedGain().prepare(graphs, Bleu(), 1).value(start), 3)
    value = milliseconds(lambda: objective.value(nearby()), 7)
    gradient = milliseconds(lambda: objective.value_and_grad(nearby()), 7)
    of_lists = ExpectedGain().prepare(lists, Bleu(), 1)
    list_gradient = milliseconds(lambda: of_lists.value_and_grad(nearby()), 7)
    scores = [_core.graph_scores(graph.core, graphs.model.native_rules, start) for graph in graphs.graphs]
    result: dict[str, Any] = {
        "sentences": count,
        "edges_a_sentence": round(graphs.edges / count),
        "split_edges_a_sentence": round(next(objective._sums(1))[2].split_edges / count),
        "preparation_ms": round((first - value) / count, 4),
        "risk_ms": round(value / count, 4),
        "risk_and_gradient_ms": round(gradient / count, 4),
        "risk_and_gradient_of_lists_ms": round(list_gradient / count, 4),
    }
    for evidence in ("expected", "once"):
        risk = GraphBayesRisk(evidence=evidence, density=None)
        spent = milliseconds(functools.partial(risk.best_of, graphs.graphs, scores), 7)
        result[f"bayes_risk_{evidence}_ms"] = round(spent / count, 4)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, help="folder of the trained model `hiero`; a temporary one without")
    parser.add_argument("--sentences", type=int, default=500)
    arguments = parser.parse_args()
    if not DATA.is_dir():
        return
    with tempfile.TemporaryDirectory() as temporary:
        model = trained(arguments.models or Path(temporary), "hiero")
        result = measure.in_child(functools.partial(sums, model, arguments.sentences))
        measure.report("risk and minimum Bayes risk of search graphs, a sentence", result)


if __name__ == "__main__":
    main()
