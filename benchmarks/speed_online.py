"""Online learning: lazy AdaGrad next to a NumPy loop, steps with 10⁵ and 10⁶ weights, updating next to decoding.

Lists are made up for the first two: 200 sentences of 100 candidates, each with 40 sparse features out of the 200
of its sentence. For the third a model of zh-en with rule identities is trained first (../shared/data), unless
`--model` names one, and 10⁵ identities begin with a small weight: one epoch of expected BLEU over the development
data, batch 20, k = 100. Times are CPU seconds, so that other programs on the machine change them little.
"""

from __future__ import annotations

import argparse
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


def lazy_epoch(objectives: list[Any], columns: int) -> tuple[float, Any]:
    """CPU seconds of the steps of one epoch, batches taken out of the lists before; the weights after it."""
    recipe = recipes.expected_bleu()
    assert isinstance(recipe.optimizer, OnlineOptimizer)
    first = recipe.optimizer.first(start_of(columns))
    learner = recipe.optimizer.open(recipe.regularizer, Limits.none(columns), first)
    nobody = np.empty(0, np.uint32)
    begin = time.process_time()
    for objective in objectives:
        learner.learn(Batch(objective, nobody, columns))
    return time.process_time() - begin, learner.weights()


def dense_epoch(objectives: list[Any], columns: int) -> tuple[float, Any]:
    """The same in NumPy and scipy: a sparse matrix of each batch, and the proximal point of every weight."""
    w, squares = start_of(columns), np.zeros(columns)
    matrices = [each.candidates.rows() for each in objectives]
    begin = time.process_time()
    for rows, objective in zip(matrices, objectives, strict=True):
        gain = objective.gains.reshape(BATCH, K)
        scores = (rows @ w).reshape(BATCH, K)
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        slopes = p * ((p * gain).sum(axis=1, keepdims=True) - gain)
        gradient = rows.T @ slopes.ravel()
        squares += gradient**2
        rates = 0.02 / (np.sqrt(squares) + 1e-3)
        half = w - rates * gradient
        w = np.sign(half) * np.maximum(0.0, np.abs(half) - rates * 1e-3)
    return time.process_time() - begin, w


def kernels(repeat: int) -> dict[str, Any]:
    found: dict[str, Any] = {}
    steps, recipe = SENTENCES // BATCH, recipes.expected_bleu()
    for columns in (DENSE + ACTIVE, 1_000_000):
        pool = made_up_lists(columns)
        batches = [pool.only(range(begin, begin + BATCH)) for begin in range(0, SENTENCES, BATCH)]
        objectives = [recipe.loss.prepare(each, recipe.metric, 1) for each in batches]
        lazy = [lazy_epoch(objectives, columns) for _ in range(repeat)]
        dense = [dense_epoch(objectives, columns) for _ in range(repeat)]
        seconds, slow = (min(each for each, _ in runs) for runs in (lazy, dense))
        found[f"step_ms_of_{columns}_weights"] = round(1000 * seconds / steps, 3)
        found[f"times_faster_than_numpy_{columns}"] = round(slow / seconds, 1)
        found[f"largest_difference_{columns}"] = float(np.abs(lazy[0][1] - dense[0][1]).max())
    return found


def with_decoder(model: Path, threads: int) -> dict[str, Any]:
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
    changes, parts = [], np.zeros(3)
    begin_wall = time.perf_counter()
    for at in range(0, len(lines), BATCH):
        sentences = np.arange(at, min(at + BATCH, len(lines)), dtype=np.uint32)
        begin = time.process_time()
        pool = decoder.decode(sentences)
        decoded = time.process_time()
        assert pool.columns == len(start)
        objective = recipe.loss.prepare(pool, Bleu(), 1)
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
    return {
        "features": len(start),
        "active": int(np.count_nonzero(learner.weights())),
        "changed_in_a_batch": int(np.median(changes)),
        "decoding_seconds": round(decoding, 2),
        "updating_seconds": round(updating, 3),
        "gains_steps_and_handing_over_seconds": parts.round(4).tolist(),
        "updating_share_of_decoding": round(updating / decoding, 4),
        f"epochs_a_minute_{threads}_threads": round(60 / wall, 2),
        f"peak_mb_{threads}_threads": round(measure.memory_kilobytes("VmHWM") / 1024),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, help="a model of zh-en with rule identities")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repeat", type=int, default=3)
    given = parser.parse_args()
    results = kernels(given.repeat)
    with tempfile.TemporaryDirectory() as folder:
        model = given.model
        if model is None and DATA.exists():
            model = Path(folder) / "model"
            options = TrainOptions(features=feature_parts("default,id"))
            train_model(TrainingData(DATA / "train.zh.gz", DATA / "train.en.gz", None), model, options, threads=2)
        if model is not None:
            results |= with_decoder(model, given.threads)
    measure.report("speed_online", results)


if __name__ == "__main__":
    main()
