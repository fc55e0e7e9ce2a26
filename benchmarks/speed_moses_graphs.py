"""Tuners on the 200 phrase-based search graphs of Moses in ../shared/reference/moses-hypergraphs.

From the weights that they were searched under: lattice-mira on graphs pruned to 50 edges a word, whose peer is
`kbmira --type hypergraph --hg-prune 50` of Moses (../shared/reference/README.md: 40.12 to 40.32 BLEU by its own
count, 4.4 ms a sentence and pass where `calibrate.py` prints 0.633), and lattice-mert on whole graphs. BLEU is
that of the tuned sentences; CPU seconds are of one thread, after the graphs have been read.
"""

from __future__ import annotations

import functools
import statistics
import time
from pathlib import Path
from typing import Any

import measure
import numpy as np

from tunesmith.metrics import Bleu
from tunesmith.search.graphs.formats import read_graphs
from tunesmith.tuning import recipes
from tunesmith.tuning.pools.graphs import GraphPool
from tunesmith.tuning.sources.density import Density
from tunesmith.tuning.sources.graph_files import GraphFileSource

GRAPHS = measure.SHARED / "reference" / "moses-hypergraphs"
REFERENCE = measure.SHARED / "data" / "multi30k-de-en" / "test_2016_flickr.en"
SENTENCES, PASSES = 200, 30
MOSES = {"bleu": 40.32, "ms_a_sentence_and_pass": 4.4}


def start_weights(file: Path) -> dict[str, float]:
    given = (line.split("= ") for line in file.read_text(encoding="utf-8").splitlines())
    return {name: float(value) for name, value in given}


def tuned(recipe_name: str, density: float | None) -> dict[str, Any]:
    begin = time.process_time()
    graphs = read_graphs([GRAPHS / "phrase" / f"{number}.gz" for number in range(SENTENCES)])
    read = time.process_time() - begin
    lines = REFERENCE.read_text(encoding="utf-8").splitlines()[:SENTENCES]
    references = [[line] for line in lines]
    source = GraphFileSource(graphs, references, Density(density), start=start_weights(GRAPHS / "phrase.weights"))
    start = source.start()
    assert start is not None
    pool = GraphPool.joined(source.parts(start)).measured(Bleu().prepare(references), source="Moses", first=0)
    before = pool.best(start).score(Bleu())
    recipe = recipes.get(recipe_name)
    begin = time.process_time()
    objective = recipe.loss.prepare(pool, recipe.metric, 1)
    prepared = time.process_time() - begin
    fitted = recipe.optimizer.minimize(objective, recipe.regularizer, start, seed=1, threads=1)
    spent = time.process_time() - begin
    result = {
        "edges": pool.edges,
        "read_seconds": round(read, 2),
        "bleu_before": round(before, 2),
        "bleu": round(-fitted.value, 2),
        "seconds": round(spent, 2),
    }
    if recipe_name == "lattice-mira":
        result["preparation_seconds"] = round(prepared, 3)
        result["ms_a_sentence_and_pass"] = pass_milliseconds(objective, start)
    return result


def pass_milliseconds(objective: Any, start: Any) -> float:
    """Median of passes over all sentences: hope, fear and update, for each sentence."""
    passes, w, order = objective.updates, start.copy(), np.arange(SENTENCES, dtype=np.uint32)
    drift, background, nothing, seconds = np.zeros_like(w), passes.background(), np.empty(0), []
    for number in range(PASSES):
        begin = time.process_time()
        passes.run_pass(w, drift, background, number * SENTENCES, order, 0.01, nothing, nothing)
        seconds.append(time.process_time() - begin)
    return round(1e3 * statistics.median(seconds) / SENTENCES, 4)


def main() -> None:
    if not GRAPHS.is_dir():
        return
    for recipe, density in (("lattice-mira", 50.0), ("lattice-mert", None)):
        result = measure.in_child(functools.partial(tuned, recipe, density))
        measure.report(f"{recipe} on Moses' graphs", result | ({"moses": MOSES} if density else {}))


if __name__ == "__main__":
    main()
