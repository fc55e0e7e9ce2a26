"""Tuners on search graphs: lattice-mert next to mert, hope and fear, the envelope of one large forest.

Models of zh-en are trained first (../shared/data), phrase-based and hierarchical. A round is one of
the recipe on the development data under start weights, decoding not counted: graphs that are not pruned against
lists of 100, with 20 restarts. `--sentences` takes fewer of them. `memory` writes the graphs several times over
to a file and tunes on it, read in blocks of two sizes and all at once: memory that is added to the model with all
of F, its weights and the code.
"""

from __future__ import annotations

import argparse
import ctypes
import functools
import gc
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import measure
import numpy as np
from speed_graph import made_up_graph

from tunesmith import _core
from tunesmith.decoding import TranslationModel
from tunesmith.decoding.graph_decoder import GraphDecoder
from tunesmith.features.index import FeatureIndex
from tunesmith.grammar import ExtractOptions, PhraseOptions, ReorderingOptions
from tunesmith.metrics import Bleu
from tunesmith.search import SearchGraph
from tunesmith.search.graphs.graph_file import GraphSet
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.train import train_model
from tunesmith.tuning import KBestSource, recipes
from tunesmith.tuning.pools import graphs as graph_pools
from tunesmith.tuning.pools.graph_files import write_pools
from tunesmith.tuning.pools.graph_model import GraphModel
from tunesmith.tuning.pools.graphs import GraphPool
from tunesmith.tuning.pools.growing_words import GrowingWords
from tunesmith.tuning.sources.density import Density
from tunesmith.tuning.sources.graphs import GraphSource

DATA = measure.SHARED / "data" / "zh-en"
K = 100


def trained(folder: Path, kind: str) -> Path:
    """The model of a kind, trained where it is not there yet."""
    if (folder / kind / "system.toml").is_file():
        return folder / kind
    options = TrainOptions()
    if kind == "phrase":
        options = TrainOptions(extract=ExtractOptions(PhraseOptions(), reordering=ReorderingOptions()))
    train_model(TrainingData(DATA / "train.zh.gz", DATA / "train.en.gz", None), folder / kind, options, threads=2)
    return folder / kind


def dev(sentences: int) -> tuple[list[str], list[list[str]]]:
    lines = (DATA / "dev.zh").read_text(encoding="utf-8").splitlines()[:sentences]
    files = [path.read_text(encoding="utf-8").splitlines() for path in sorted(DATA.glob("dev.en.*"))]
    return lines, [[each[at] for each in files if each[at].strip()] for at in range(len(lines))]


def pools(model: Path, sentences: int, density: float | None) -> tuple[Any, Any, Any, Any]:
    """Graphs and lists of the development data, start weights, the metric."""
    lines, references = dev(sentences)
    decoder = GraphDecoder(TranslationModel.open(model).decoder(), "benchmark")
    graphs = GraphSource(decoder, lines, references, Density(density))
    prepared, start = Bleu().prepare(references), graphs.start()
    assert start is not None
    of_graphs = GraphPool.joined(graphs.parts(start, threads=2)).measured(prepared, source="dev", first=0)
    lists = list(KBestSource(decoder, lines, references, K).parts(start, threads=2))
    of_lists = type(lists[0]).joined(lists).measured(prepared, source="dev", first=0)
    return of_graphs, of_lists, start, prepared


def tuned(name: str, pool: Any, start: Any, settings: str = "") -> tuple[float, Any]:
    """CPU seconds with preparation, and the result."""
    recipe = recipes.get(name)
    recipe = recipe.with_settings(settings) if settings else recipe
    begin = time.process_time()
    objective = recipe.loss.prepare(pool, recipe.metric, 1)
    fitted = recipe.optimizer.minimize(objective, recipe.regularizer, start, seed=1, threads=1)
    return time.process_time() - begin, fitted


def mert_round(model: Path, sentences: int) -> dict[str, Any]:
    graphs, lists, start, _ = pools(model, sentences, None)
    of_lists, found = tuned("mert", lists, start)
    of_graphs, better = tuned("lattice-mert", graphs, start)
    return {
        "sentences": graphs.sentences,
        "edges": graphs.edges,
        "mert_seconds": round(of_lists, 2),
        "lattice_mert_seconds": round(of_graphs, 2),
        "times_the_time_of_mert": round(of_graphs / of_lists, 2),
        "mert_lines": found.details["lines"],
        "lattice_mert_lines": better.details["lines"],
        "mert_bleu": round(-found.value, 2),
        "lattice_mert_bleu": round(-better.value, 2),
    }


BLOCKS = (16, 64)
"""Graphs at once; 64 is what tuning has."""


def write_graphs(model: Path, sentences: int, copies: int, folder: Path) -> dict[str, Any]:
    """The graphs of the development data, several times over; sizes in MB as they are in the file."""
    lines, references = dev(sentences)
    decoder = GraphDecoder(TranslationModel.open(model).decoder(), "benchmark")
    source = GraphSource(decoder, lines, references, Density(None))
    start = source.start()
    assert start is not None
    write_pools((part for _ in range(copies) for part in source.parts(start, threads=2)), folder)
    sizes = [len(graph.core.pack()) for graph in GraphSet(folder / "graphs.bin")]
    largest = {
        f"block_of_{block}_mb": round(
            max(sum(sizes[at : at + block]) for at in range(0, len(sizes), block)) / 2**20, 1
        )
        for block in BLOCKS
    }
    return {"graphs": len(sizes), "file_mb": round(sum(sizes) / 2**20, 1), **largest}


def tune_two_sentences(
    decoder: GraphDecoder, lines: list[str], references: list[list[str]], recipe: str, settings: str
) -> None:
    """Tune once, so that libraries are loaded and a first growth of memory is over."""
    source = GraphSource(decoder, lines, references, Density(None))
    start = source.start()
    assert start is not None
    pool = GraphPool.joined(source.parts(start)).measured(Bleu().prepare(references), source="dev", first=0)
    tuned(recipe, pool, start, settings)


def read_features(source: GraphSource, folder: Path, weights: Any) -> None:
    """Score all graphs, so that all rows of F that they need are in memory: F is mapped."""
    rules = source.load(folder).model.native_rules
    for graph in GraphSet(folder / "graphs.bin"):
        _core.graph_scores(graph.core, rules, weights)


def give_back() -> None:
    """Give memory that is not used back to the system, so that what is used next counts."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)


def run_from_disk(
    model: Path, sentences: int, copies: int, folder: Path, recipe: str, settings: str, block: int | None
) -> dict[str, Any]:
    """Tune on the file, once the model, its weights and all code are there; memory is what is added after that.

    block: graphs at once; None for all of them.
    """
    lines, references = dev(sentences)
    decoder = GraphDecoder(TranslationModel.open(model).decoder(), "benchmark")
    tune_two_sentences(decoder, lines[:2], references[:2], recipe, settings)
    source = GraphSource(decoder, lines * copies, references * copies, Density(None))
    prepared, start = Bleu().prepare(references * copies), source.start()
    read_features(source, folder, start)
    graph_pools.IN_MEMORY, graph_pools.BLOCK = (0, block) if block else (2**40, graph_pools.BLOCK)
    give_back()
    measure.forget_peak()
    before = measure.memory_kilobytes("VmRSS")
    pool = source.load(folder).measured(prepared, source="dev", first=0)
    seconds, _ = tuned(recipe, pool, start, settings)
    return {
        "seconds": round(seconds, 2),
        "tuning_mb": round((measure.memory_kilobytes("VmHWM") - before) / 1024, 1),
    }


def memory(model: Path, sentences: int, copies: int, kind: str) -> None:
    """Report a line for each recipe, in blocks and whole."""
    with tempfile.TemporaryDirectory() as temporary:
        sizes = measure.in_child(functools.partial(write_graphs, model, sentences, copies, Path(temporary)))
        for recipe, settings in (
            ("lattice-mira", "passes=2"),
            ("forest-risk", "iterations=2"),
            ("lattice-mert", "restarts=0,directions=4"),
        ):
            for block in (*BLOCKS, None):
                work = functools.partial(
                    run_from_disk, model, sentences, copies, Path(temporary), recipe, settings, block
                )
                how = f"blocks of {block}" if block else "whole"
                measure.report(f"memory of {recipe}, {how}, {kind}", sizes | measure.in_child(work))


def mira_pass(model: Path, sentences: int) -> dict[str, Any]:
    graphs, _, start, _ = pools(model, sentences, 50.0)
    recipe = recipes.get("lattice-mira")
    begin = time.process_time()
    objective = recipe.loss.prepare(graphs, recipe.metric, 1)
    prepared = time.process_time() - begin
    passes, w = objective.updates, start.copy()
    drift, background, nothing = np.zeros_like(w), passes.background(), np.empty(0)
    order = np.arange(graphs.sentences, dtype=np.uint32)
    seconds = []
    for number in range(5):
        begin = time.process_time()
        passes.run_pass(w, drift, background, number * len(order), order, 0.01, nothing, nothing)
        seconds.append(time.process_time() - begin)
    a_pass = statistics.median(seconds)
    return {
        "sentences": graphs.sentences,
        "edges_a_sentence": round(graphs.edges / graphs.sentences),
        "preparation_seconds": round(prepared, 3),
        "pass_seconds": round(a_pass, 3),
        "pass_seconds_of_1000_sentences": round(1000 * a_pass / graphs.sentences, 3),
        "hope_or_fear_ms": round(1000 * a_pass / graphs.sentences / 2, 4),
    }


def milliseconds(work: Callable[[], object], repeat: int = 15) -> float:
    times = []
    for _ in range(repeat):
        begin = time.process_time()
        work()
        times.append(time.process_time() - begin)
    return 1e3 * statistics.median(times)


def large_forest(edges: int) -> tuple[SearchGraph, Any, Any]:
    """A made-up forest of about this number of edges, with four random features of which one is the direction."""
    graph, scores = made_up_graph(1)
    pruned = graph.prune_to_size(scores, edges, "max_marginal")
    random = np.random.default_rng(2)
    values = np.column_stack([scores[pruned.edges], random.normal(size=(pruned.graph.edges, 3))])
    arrays = pruned.graph.arrays | {"dense_ids": np.arange(4, dtype=np.uint32), "dense": values.ravel()}
    made = SearchGraph.from_arrays(**arrays, vocabulary=graph.vocabulary)
    return made, np.array([1.0, 0, 0, 0]), np.array([0.0, 1, 0, 0])


def envelope() -> dict[str, Any]:
    graph, point, direction = large_forest(10_000)
    model = GraphModel(FeatureIndex(["a", "b", "c", "d"]), None, GrowingWords([str(i) for i in range(60)]))
    pool = GraphPool([graph], model)
    found = pool.followed
    lines = {}
    viterbi = milliseconds(lambda: found.best([graph.core], 0, None, point + np.random.random() * 1e-9))
    for name, reach in (("narrow", 0.2), ("wide", 2.0), ("whole", np.inf)):
        ends = np.array([-reach]), np.array([reach])
        follow = functools.partial(found.follow, [graph.core], 0, None, point, direction[None, :], *ends)
        spent = milliseconds(follow)
        found.forget_visited()
        found.visit(0)
        count = len(found.visited()[0])
        lines[name] = {"lines": count, "ms": round(spent, 3), "of_bound": round(spent / (3 * viterbi * count), 3)}
    return {"edges": graph.edges, "scores_and_viterbi_ms": round(viterbi, 3), **lines}


def hope_fear_867() -> dict[str, Any]:
    """One sentence of 867 edges: time of a hope or fear, and how near its objective is to a beam of 50."""
    graph, scores = made_up_graph(1)
    pruned = graph.prune_to_size(scores, 867, "max_marginal")
    few = scores[pruned.edges]
    arrays = pruned.graph.arrays | {"dense_ids": np.zeros(1, np.uint32), "dense": few.astype(np.float32)}
    made = SearchGraph.from_arrays(**arrays, vocabulary=graph.vocabulary)
    reference = list(graph.k_best(scores, 100, distinct=True)[-1].words)
    options = (_core.Hope.model_and_gain, _core.Fear.model_without_gain, 0.999, 1.0, True, 10**6)
    passes = _core.GraphHopeFear(
        [made.core], None, 1, [[[int(word) for word in reference]]], 4, _core.LengthRule.closest, *options
    )
    background = np.array([250.0, 250, 150, 90, 50, 30, 250, 240, 230, 220])
    w = np.ones(1)
    hope = milliseconds(lambda: passes.find(0, w, 1.0, 1.0, background), 51)
    fear = milliseconds(lambda: passes.find(0, w, 1.0, -1.0, background), 51)
    return {"edges": made.edges, "hope_ms": round(hope, 4), "fear_ms": round(fear, 4)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, help="folder of the trained models; a temporary one without")
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--only", help="envelope, hope, mert, mira or memory")
    parser.add_argument("--kinds", nargs="+", default=("phrase", "hiero"), help="kinds of models")
    parser.add_argument(
        "--copies", type=int, default=4, help="how many times the graphs are in the file of `memory`"
    )
    arguments = parser.parse_args()
    if arguments.only in (None, "envelope"):
        measure.report("graph envelope", measure.in_child(functools.partial(envelope)))
    if arguments.only in (None, "hope"):
        measure.report("graph hope and fear", measure.in_child(functools.partial(hope_fear_867)))
    if not DATA.is_dir() or arguments.only in ("envelope", "hope"):
        return
    with tempfile.TemporaryDirectory() as temporary:
        for kind in arguments.kinds:
            model = trained(arguments.models or Path(temporary), kind)
            if arguments.only in (None, "mert"):
                result = measure.in_child(functools.partial(mert_round, model, arguments.sentences))
                measure.report(f"round of lattice-mert, {kind}", result)
            if arguments.only in (None, "mira"):
                result = measure.in_child(functools.partial(mira_pass, model, arguments.sentences))
                measure.report(f"pass of lattice-mira, {kind}", result)
            if arguments.only in (None, "memory"):
                memory(model, arguments.sentences, arguments.copies, kind)


if __name__ == "__main__":
    main()
