"""Tuners on the reference lists compared with the recorded figures of Moses' tools, from loaded lists, one thread.

Times are CPU seconds; recorded ones are scaled by what reference/calibrate.py takes here (CPU seconds as well: the
machines are busy). `--large`: 3 million candidates × 30 features out of 500,000 instead, with memory. Moses has no
tool for risk, svm and ramp: the peer of risk is its value and gradient in NumPy and scipy, that of the other two
is mira on the same lists.
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import measure
import numpy as np

from tunesmith import _core
from tunesmith.search import CandidateSet, PlainMatrix, merge, read_moses_run
from tunesmith.tuning import recipes
from tunesmith.tuning.optimizers import PassiveAggressive
from tunesmith.tuning.pools.lists import ListPool
from tunesmith.tuning.recipe import Recipe

# README.md of ../shared/reference: CPU seconds of one thread where calibrate.py prints 0.58.
RECORDED = {"mert": 49.4, "mira": 0.0036, "pro": 1.2 + 0.2}
CALIBRATED = 0.58


def cpu(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds and result."""
    begin = time.process_time()
    result = work()
    return time.process_time() - begin, result


def calibration(folder: Path) -> float:
    """CPU seconds of the calibration work, median of five."""
    spec = importlib.util.spec_from_file_location("calibrate", folder / "calibrate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return statistics.median(cpu(module.work)[0] for _ in range(5))


def reference_lists(folder: Path) -> tuple[CandidateSet, np.ndarray[Any, Any], dict[str, Any]]:
    """The merged lists, the start weights, what Moses reached."""
    recorded = json.loads((folder / "results.json").read_text())["results"]
    runs = [(folder / f"run{i}.features.dat.gz", folder / f"run{i}.scores.dat.gz") for i in range(1, 6)]
    lists = merge([read_moses_run(*run) for run in runs])
    start = np.array([recorded["start"]["weights"][name] for name in lists.features])
    return lists, start, recorded


def tuned(recipe: Recipe, lists: CandidateSet, start: Any, seed: int) -> tuple[float, float, dict[str, float]]:
    """CPU seconds with preparation, list score, details."""

    def work() -> Any:
        objective = recipe.loss.prepare(ListPool(lists), recipe.metric, seed)
        return recipe.optimizer.minimize(objective, recipe.regularizer, start, seed=seed, threads=1)

    seconds, fitted = cpu(work)
    chosen = _core.best_candidates(lists.native, fitted.weights)
    assert lists.statistics is not None
    score = float(recipe.metric.score(lists.statistics[chosen].sum(axis=0, dtype=np.float64)))
    return seconds, score, dict(fitted.details)


def compare(name: str, recipe: Recipe, lists: CandidateSet, start: Any, moses: float, factor: float) -> None:
    """Print one line: three seeds of a recipe compared with the recorded tool."""
    runs = [tuned(recipe, lists, start, seed) for seed in (1, 2, 3)]
    seconds = statistics.median(run[0] for run in runs)
    unit = "seconds"
    peer = RECORDED[name.split()[0]]
    if isinstance(recipe.optimizer, PassiveAggressive):
        seconds, unit = seconds / recipe.optimizer.passes, "seconds_a_pass"
    measure.report(
        f"tune {name}",
        {
            unit: round(seconds, 5),
            f"moses_{unit}_scaled": round(peer * factor, 5),
            "times_faster_than_moses_scaled": round(peer * factor / seconds, 2),
            "list_bleu": round(statistics.mean(run[1] for run in runs), 3),
            "list_bleu_of_seeds": [round(run[1], 3) for run in runs],
            "moses_list_bleu": moses,
            "details": runs[0][2],
            "calibration": round(CALIBRATED * factor, 3),
        },
    )


def scipy_risk(lists: CandidateSet, gains: Any) -> Callable[[Any], tuple[float, Any]]:
    """Expected gain and gradient as one writes them with scipy: whole arrays, no loop over sentences."""
    offsets = np.asarray(lists.offsets)
    begins = offsets[:-1][np.diff(offsets) > 0]
    sentence = np.repeat(np.arange(len(begins)), np.diff(np.append(begins, offsets[-1])))
    matrix = lists.rows().tocsr()

    def value_and_grad(w: Any) -> tuple[float, Any]:
        scores = matrix @ w
        p = np.exp(scores - np.maximum.reduceat(scores, begins)[sentence])
        p /= np.add.reduceat(p, begins)[sentence]
        expected = np.add.reduceat(p * gains, begins)
        slopes = p * (expected[sentence] - gains) / lists.sentences
        return -float(expected.sum()) / lists.sentences, matrix.T @ slopes

    return value_and_grad


def compare_risk(lists: CandidateSet, start: Any) -> None:
    """Print one line: an evaluation compared with scipy's, both optimizers."""
    objective = recipes.risk().loss.prepare(ListPool(lists), recipes.risk().metric, 1)
    other = scipy_risk(lists, objective.gains)
    (value, gradient), (others, slopes) = objective.value_and_grad(start), other(start)
    assert abs(value - others) < 1e-9
    assert np.allclose(gradient, slopes)
    ours = statistics.median(cpu(lambda: objective.value_and_grad(start))[0] for _ in range(5))
    theirs = statistics.median(cpu(lambda: other(start))[0] for _ in range(5))
    tuned(recipes.risk(), lists, start, 1)  # imports scipy's optimizer
    exact = tuned(recipes.risk(), lists, start, 1)
    plain = [tuned(recipes.risk(plain=True), lists, start, seed) for seed in (1, 2, 3)]
    measure.report(
        "tune risk",
        {
            "milliseconds_an_evaluation": round(1000 * ours, 2),
            "times_faster_than_scipy": round(theirs / ours, 2),
            "seconds": round(exact[0], 2),
            "list_bleu": round(exact[1], 3),
            "details": exact[2],
            "seconds_plain": round(statistics.median(run[0] for run in plain), 2),
            "list_bleu_of_seeds_plain": [round(run[1], 3) for run in plain],
            "details_plain": plain[0][2],
        },
    )


def compare_hinge(name: str, lists: CandidateSet, start: Any) -> None:
    """Print one line: a recipe with cutting planes compared with mira."""
    runs = [tuned(recipes.get(name), lists, start, seed) for seed in (1, 2, 3)]
    seconds = statistics.median(run[0] for run in runs)
    mira = tuned(recipes.mira(), lists, start, 1)
    measure.report(
        f"tune {name}",
        {
            "seconds": round(seconds, 2),
            "times_the_time_of_mira": round(seconds / mira[0], 2),
            "list_bleu": round(statistics.mean(run[1] for run in runs), 3),
            "list_bleu_of_seeds": [round(run[1], 3) for run in runs],
            "mira_list_bleu": round(mira[1], 3),
            "details": runs[0][2],
        },
    )


def large_set(sentences: int, k: int, features: int, used: int) -> CandidateSet:
    """Random candidates: Zipfian sparse features, and BLEU statistics that depend on some of them."""
    random = np.random.default_rng(1)
    rows = sentences * k
    ids = np.minimum(random.zipf(1.3, size=(rows, used)) - 1, features - 1) * 7919 % features
    ids = np.sort(ids.astype(np.uint32), axis=1)
    keep = np.ones_like(ids, dtype=bool)
    keep[:, 1:] = ids[:, 1:] != ids[:, :-1]
    offsets = np.concatenate([[0], np.cumsum(keep.sum(axis=1))]).astype(np.int64)
    taste = random.normal(size=features)
    quality = (taste[ids] * keep).sum(axis=1) / used + 0.3 * random.normal(size=rows)
    matrix = PlainMatrix(
        features,
        np.empty(0, dtype=np.uint32),
        np.empty((rows, 0), dtype=np.float32),
        offsets,
        ids[keep],
        np.ones(int(keep.sum()), dtype=np.float32),
    )
    length = np.clip(np.round(20 + 2 * random.normal(size=rows)), 5, None).astype(np.int32)
    ngrams = length[:, None] - np.arange(4)
    share = np.clip(0.5 + 0.2 * quality, 0.05, 0.95)[:, None] ** np.arange(1, 5)
    matches = np.floor(share * ngrams).astype(np.int32)
    statistics_ = np.column_stack([length, np.full(rows, 20), matches, ngrams]).astype(np.int32)
    return CandidateSet(matrix, np.arange(0, rows + 1, k), statistics=statistics_)


def large(name: str, sentences: int, k: int) -> dict[str, Any]:
    """One recipe on the large set, memory counted from the loaded lists on."""
    lists = large_set(sentences, k, 500_000, 30)
    matrix = lists.matrix
    assert isinstance(matrix, PlainMatrix)
    arrays = matrix.ids.nbytes + matrix.values.nbytes + matrix.offsets.nbytes
    before = measure.memory_kilobytes("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")
    start = np.zeros(lists.columns)
    recipe = recipes.get(name)
    seconds, best, details = tuned(recipe, lists, start, 1)
    added = (measure.memory_kilobytes("VmHWM") - before) / 1024
    return {
        "candidates": len(lists),
        "features_used": len(np.unique(matrix.ids)),
        "seconds": round(seconds, 1),
        "feature_arrays_mb": round(arrays / 2**20),
        "tuning_added_mb": round(added),
        "memory_over_feature_arrays": round(1 + added * 2**20 / arrays, 2),
        "list_bleu": round(best, 2),
        "details": details,
    }


def main() -> None:
    """Reference lists where they are, the large set when asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true", help="3 million candidates")
    parser.add_argument("--only", help="one recipe")
    arguments = parser.parse_args()
    folder = measure.SHARED / "reference"
    names = {
        "mert": recipes.mert(),
        "mira": recipes.mira(),
        "pro": recipes.pro(),
        "pro plain": recipes.get("pro", plain=True),
    }
    if (folder / "tune").is_dir() and not arguments.large:
        factor = calibration(folder) / CALIBRATED
        seconds, (lists, start, recorded) = cpu(lambda: reference_lists(folder / "tune"))
        measure.report("tune loading", {"cpu_seconds": round(seconds, 3), "candidates": len(lists)})
        moses = {"mert": "mert", "mira": "kbmira", "pro": "pro", "pro plain": "pro"}
        for name, recipe in names.items():
            if arguments.only in (None, name):
                compare(name, recipe, lists, start, recorded[moses[name]]["list_bleu"], factor)
        if arguments.only in (None, "risk"):
            compare_risk(lists, start)
        for name in ("svm", "ramp"):
            if arguments.only in (None, name):
                compare_hinge(name, lists, start)
    sentences = 6000 if arguments.large else 100
    for name in ("mira", "pro", "risk", "svm", "ramp"):
        if arguments.only in (None, name):
            result = measure.in_child(functools.partial(large, name, sentences, 500))
            measure.report(f"tune large {name}", result)


if __name__ == "__main__":
    main()
