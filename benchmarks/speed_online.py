"""Online learning: lazy AdaGrad next to a NumPy loop, steps with 10⁵ and 10⁶ weights, updating next to decoding.

Lists are made up for the first two: 200 sentences of 100 candidates, each with 40 sparse features out of the 200
of its sentence. For the third a model of zh-en with rule identities is trained first (../shared/data), unless
`--model` names one, and 10⁵ identities begin with a small weight: one epoch of expected BLEU over the development
data, batch 20, k = 100, with each number of threads in its own process. The lists of that epoch are then
gone through again (recorded lists), next to NumPy, in three ways: both with all features of the model; both with
those alone that occur in some list or have a weight, as lists from a file would have them; and the lists of the
model with all features next to NumPy with those alone. `products` are NumPy's X·w and Xᵀ·c alone: what no proximal
point can save. Times are CPU seconds, of each step the least of the repeats: other programs on the machine take
memory bandwidth and cache from both.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import measure
import numpy as np
from scipy import sparse

from tunesmith.metrics import Bleu
from tunesmith.search import CandidateSet
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.start import feature_parts
from tunesmith.training.train import train_model
from tunesmith.tuning import KBestSource, ListPool, recipes
from tunesmith.tuning.constraints import Limits
from tunesmith.tuning.loop.batches import BatchDecoder
from tunesmith.tuning.loop.context import Context
from tunesmith.tuning.optimizers.online import Batch, OnlineOptimizer

DATA = measure.SHARED / "data" / "zh-en"
SENTENCES, K, SPARSE, DENSE, BATCH = 200, 100, 40, 10, 20
OF_SENTENCE = 200
ACTIVE = 100_000


def made_up_lists(columns: int) -> ListPool:
    """Candidates whose features are below 10⁵, whatever the number of columns."""
    random = np.random.default_rng(1)
    rows = SENTENCES * K
    known = (ACTIVE * random.random((SENTENCES, OF_SENTENCE)) ** 3).astype(np.int64) + DENSE
    chosen = random.integers(0, OF_SENTENCE, size=(rows, SPARSE))
    rare = known[np.arange(rows) // K][np.arange(rows)[:, None], chosen]
    ids = np.column_stack([np.tile(np.arange(DENSE), (rows, 1)), rare])
    values = np.column_stack([random.normal(size=(rows, DENSE)), np.ones((rows, SPARSE))])
    indptr = np.arange(0, ids.size + 1, ids.shape[1])
    matrix = sparse.csr_matrix((values.ravel(), ids.ravel(), indptr), shape=(rows, columns))
    matrix.sum_duplicates()
    length = random.integers(9, 12, size=rows)
    ngrams = length[:, None] - np.arange(4)
    match = np.floor(random.random((rows, 1)) ** np.arange(1, 5) * ngrams)
    statistics = np.column_stack([length, np.full(rows, 10), match, ngrams])
    return ListPool(CandidateSet.from_matrix(matrix, np.arange(0, rows + 1, K), statistics=statistics))


def start_of(columns: int) -> Any:
    start = np.zeros(columns)
    start[: DENSE + ACTIVE] = 0.01 * np.random.default_rng(2).normal(size=DENSE + ACTIVE)
    return start


def lazy_epoch(objectives: list[Any], start: Any) -> tuple[list[float], Any]:
    """CPU seconds of each step of one epoch, batches taken out of the lists before; the weights after it."""
    recipe, columns = recipes.expected_bleu(), len(start)
    assert isinstance(recipe.optimizer, OnlineOptimizer)
    first = recipe.optimizer.first(start)
    learner = recipe.optimizer.open(recipe.regularizer, Limits.none(columns), first)
    nobody = np.empty(0, np.uint32)
    steps = []
    for objective in objectives:
        begin = time.process_time()
        learner.learn(Batch(objective, nobody, columns))
        steps.append(time.process_time() - begin)
    return steps, learner.weights()


def dense_epoch(matrices: list[Any], objectives: list[Any], w: Any) -> tuple[list[float], list[float], Any]:
    """The same in NumPy and scipy: a sparse matrix of each batch, and the proximal point of every weight."""
    squares = np.zeros(len(w))
    steps, of_products = [], []
    for rows, objective in zip(matrices, objectives, strict=True):
        begin = time.process_time()
        gain, firsts = objective.gains, objective.candidates.offsets[:-1]
        sizes = np.diff(objective.candidates.offsets)
        firsts, sizes = firsts[sizes > 0], sizes[sizes > 0]
        before = time.process_time()
        scores = rows @ w
        products = time.process_time() - before
        p = np.exp(scores - np.repeat(np.maximum.reduceat(scores, firsts), sizes))
        p /= np.repeat(np.add.reduceat(p, firsts), sizes)
        slopes = p * (np.repeat(np.add.reduceat(p * gain, firsts), sizes) - gain)
        before = time.process_time()
        gradient = rows.T @ slopes
        products += time.process_time() - before
        squares += gradient**2
        rates = 0.02 / (np.sqrt(squares) + 1e-3)
        half = w - rates * gradient
        w = np.sign(half) * np.maximum(0.0, np.abs(half) - rates * 1e-3)
        steps.append(time.process_time() - begin)
        of_products.append(products)
    return steps, of_products, w


def columns_that_matter(objectives: list[Any], start: Any) -> Any:
    """Columns that occur in some list or have a weight."""
    return np.unique(
        np.concatenate([*(each.candidates.rows().indices for each in objectives), np.flatnonzero(start)])
    )


def compacted(objectives: list[Any], columns: Any) -> list[Any]:
    """The same lists with these columns alone, as lists from a file have them."""
    recipe, found = recipes.expected_bleu(), []
    for each in objectives:
        lists = each.candidates
        matrix, statistics = lists.rows()[:, columns], lists.statistics
        again = CandidateSet.from_matrix(matrix, lists.offsets, statistics=statistics)
        found.append(recipe.loss.prepare(ListPool(again), recipe.metric, 1))
    return found


def side_by_side(objectives: list[Any], start: Any, repeat: int, columns: Any = None) -> dict[str, Any]:
    """Milliseconds of a step, and how much longer NumPy takes.   columns: what NumPy has; None for all."""
    columns = np.arange(len(start)) if columns is None else columns
    matrices = [each.candidates.rows()[:, columns] for each in objectives]
    lazy = [lazy_epoch(objectives, start) for _ in range(repeat)]
    dense = [dense_epoch(matrices, objectives, start[columns]) for _ in range(repeat)]
    seconds = np.min([each[0] for each in lazy], axis=0).mean()
    slow, products = (np.min([each[at] for each in dense], axis=0).mean() for at in (0, 1))
    return {
        "weights": len(start),
        "weights_of_numpy": len(columns),
        "step_ms": round(1000 * seconds, 3),
        "numpy_step_ms": round(1000 * slow, 3),
        "numpy_products_ms": round(1000 * products, 3),
        "times_faster_than_numpy": round(slow / seconds, 1),
        "largest_difference": float(np.abs(lazy[0][1][columns] - dense[0][2]).max()),
    }


def on_recorded_lists(objectives: list[Any], start: Any, repeat: int) -> dict[str, Any]:
    columns = columns_that_matter(objectives, start)
    return {
        "recorded": side_by_side(objectives, start, repeat),
        "recorded_compact": side_by_side(compacted(objectives, columns), start[columns], repeat),
        "recorded_numpy_compact": side_by_side(objectives, start, repeat, columns),
    }


def kernels(repeat: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    recipe = recipes.expected_bleu()
    for columns in (DENSE + ACTIVE, 1_000_000):
        pool = made_up_lists(columns)
        batches = [pool.only(range(begin, begin + BATCH)) for begin in range(0, SENTENCES, BATCH)]
        objectives = [recipe.loss.prepare(each, recipe.metric, 1) for each in batches]
        found[f"made_up_{columns}"] = side_by_side(objectives, start_of(columns), repeat)
    return found


def with_decoder(model: Path, threads: int, repeat: int) -> dict[str, Any]:
    lines = (DATA / "dev.zh").read_text(encoding="utf-8").splitlines()
    files = [path.read_text(encoding="utf-8").splitlines() for path in sorted(DATA.glob("dev.en.*"))]
    source = KBestSource(str(model), lines, [list(each) for each in zip(*files, strict=True)], K)
    first = source.start()
    assert first is not None
    start = np.zeros(len(source.features))
    start[: len(first)] = first
    sparse_ids = np.flatnonzero(start == 0)[:ACTIVE]
    start[sparse_ids] = 1e-3 * np.random.default_rng(2).normal(size=len(sparse_ids))
    recipe = recipes.expected_bleu()
    assert isinstance(recipe.optimizer, OnlineOptimizer)
    limits = Limits.none(len(start))
    state = recipe.optimizer.first(start)  # as after some epochs: rates are small, so that weights stay alive
    state = replace(state, arrays={"squares": np.ones(len(start))}, by_feature=("squares",))
    learner = recipe.optimizer.open(recipe.regularizer, limits, state)
    context = Context({"dev": source}, Bleu(), seed=1, threads=threads)
    decoder = BatchDecoder(context, "dev", start, 0, {})
    decoding = updating = 0.0
    changes, parts, recorded = [], np.zeros(3), []
    begin_wall = time.perf_counter()
    for at in range(0, len(lines), BATCH):
        sentences = np.arange(at, min(at + BATCH, len(lines)), dtype=np.uint32)
        begin = time.process_time()
        pool = decoder.decode(sentences)
        decoded = time.process_time()
        assert pool.columns == len(start)
        objective = recipe.loss.prepare(pool, Bleu(), 1)
        recorded.append(objective)
        prepared = time.process_time()
        learner.learn(Batch(objective, sentences, pool.columns))
        learnt = time.process_time()
        change = learner.changed()
        decoder.changed(change)
        source.decoder.update_weights(*change)  # type: ignore[attr-defined]
        updated = time.process_time()
        parts += [prepared - decoded, learnt - prepared, updated - learnt]
        changes.append(len(change[0]))
        decoding, updating = decoding + decoded - begin, updating + updated - decoded
    wall = time.perf_counter() - begin_wall
    peak = round(measure.memory_kilobytes("VmHWM") / 1024)
    return {
        "features": len(start),
        "active": int(np.count_nonzero(learner.weights())),
        "changed_in_a_batch": int(np.median(changes)),
        "decoding_seconds": round(decoding, 2),
        "updating_seconds": round(updating, 3),
        "gains_steps_and_handing_over_seconds": parts.round(4).tolist(),
        "updating_share_of_decoding": round(updating / decoding, 4),
        "epochs_a_minute": round(60 / wall, 2),
        "peak_mb": peak,
        **(on_recorded_lists(recorded, start, repeat) if repeat else {}),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, help="a model of zh-en with rule identities")
    parser.add_argument("--threads", type=int, help="only the epoch, with N threads")
    parser.add_argument("--repeat", type=int, default=10)
    given = parser.parse_args()
    if given.threads:
        print(json.dumps(with_decoder(given.model, given.threads, given.repeat if given.threads == 1 else 0)))
        return
    results: dict[str, Any] = kernels(given.repeat)
    with tempfile.TemporaryDirectory() as folder:
        model = given.model
        if model is None and DATA.exists():
            model = Path(folder) / "model"
            options = TrainOptions(features=feature_parts("default,id"))
            train_model(TrainingData(DATA / "train.zh.gz", DATA / "train.en.gz", None), model, options, threads=2)
        for threads in (1, 2) if model is not None else ():
            command = [sys.executable, __file__, "--model", model, "--threads", threads, "--repeat", given.repeat]
            run = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True)
            results[f"epoch_{threads}_threads"] = json.loads(run.stdout)
    measure.report("speed_online", results)


if __name__ == "__main__":
    main()
