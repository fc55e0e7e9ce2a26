"""Hierarchical decoding compared with the recorded curves of Moses and Moses2 on the same model and sentences.

One JSON line for each pop limit (mean model score, CPU seconds for 300 sentences on one thread without loading,
peak memory, loading), then one with the ratio to both peers at the mean model score of each of their points: our
time at that score is interpolated between our points. Recorded times are scaled by calibrate.py, run between ours;
of its five rounds the CPU time is taken, as of our runs, because other work may be going on.
Then what features cost: 8 against more than a million non-zero rule features, from a file of that many weights to
the first translation, and 10⁵ weights of target bigrams. With MOSES2=PROGRAM Moses2 runs here in the same run.

--picture FILE.svg draws the curves (research/decoding.md). --training-data MODEL decodes the whole zh-en
training data instead, with a model of `tunesmith train`, and says what 100-best lists of all of it cost.

The model is that of ../shared/reference/moses-hiero; nothing is measured where it is missing.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import measure
import moses2_peer
import numpy as np
from decode_training_data import SOURCE, decode_training_data
from recorded_peers import CALIBRATED, beside, calibration

from tunesmith.config import WEIGHTS
from tunesmith.decoding import HieroDecoder, TranslationModel, load_decoder
from tunesmith.features import FeatureSet, parse_features, split_features
from tunesmith.io import read_lines
from tunesmith.training.import_moses import import_moses
from tunesmith.weights import Weights

POP_LIMITS = (5, 10, 20, 30, 50, 100, 200, 300, 600)
REPEAT = 3
# Mean model score → CPU seconds for 300 sentences, from the README of the recorded runs.
MOSES2 = {-33.7071: 0.6, -33.6642: 1.0, -33.6450: 2.7, -33.6397: 8.2, -33.6360: 25.8}
MOSES = {-33.6897: 2.1, -33.6637: 4.6, -33.6537: 10.8, -33.6429: 33.7}
MOSES2_LIMITS = (10, 30, 100, 300, 1000)
MOSES2_MB, MOSES2_LOADING = 458, 3.45


def sentences() -> list[str]:
    return read_lines(measure.SHARED / "data/multi30k-de-en/test_2016_flickr.de")[:300]


def one_point(model: Path, pop_limit: int) -> dict[str, Any]:
    """A new process: loading, then all sentences with nothing computed before."""
    lines = sentences()
    start = time.process_time()
    decoder = load_decoder(model, pop_limit=pop_limit)
    loaded = time.process_time()
    best = decoder.translate(lines)
    done = time.process_time()
    return {
        "mean_model_score": round(sum(one.score for one in best) / len(best), 4),
        "cpu_seconds": done - loaded,
        "loading_cpu_seconds": loaded - start,
        "peak_mb": round(measure.memory_kilobytes("VmHWM") / 1024),
    }


def curve(model: Path, picture: Path | None) -> None:
    ours: dict[float, float] = {}
    lines: dict[int, dict[str, Any]] = {}
    machine = [calibration()]
    for pop_limit in POP_LIMITS:
        runs = [measure.in_child(partial(one_point, model, pop_limit)) for _ in range(REPEAT)]
        machine.append(calibration())
        point = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        ours[point["mean_model_score"]] = point["cpu_seconds"]
        lines[pop_limit] = point
        measure.report("decode", {"pop_limit": pop_limit, **{k: round(v, 4) for k, v in point.items()},
                                  "sentences": 300, "threads": 1})  # fmt: skip
    moses2 = moses2_peer.curve("moses-hiero/moses.ini", sentences(), MOSES2_LIMITS)
    measured = None if moses2 is None else {"Moses2": moses2}
    scale, points = beside(ours, {"Moses2": MOSES2, "Moses": MOSES}, statistics.median(machine), measured)
    ratio = {"calibration": round(statistics.median(machine), 3), "recorded": CALIBRATED,
             "scaled": round(scale, 2), "peer_mb": MOSES2_MB, "peer_loading_seconds": MOSES2_LOADING,
             "points": points}  # fmt: skip
    measure.report("decode_ratio", ratio)
    if picture:
        from decode_picture import draw  # matplotlib is needed for this alone

        draw(lines, ratio, picture)


def cpu_seconds(decoder: HieroDecoder, lines: list[str]) -> float:
    """Median over runs; what a run before it computed for source sides is kept."""
    seconds = []
    for _ in range(REPEAT + 1):
        start = time.process_time()
        decoder.translate(lines)
        seconds.append(time.process_time() - start)
    return statistics.median(seconds[1:])


def update_microseconds(decoder: HieroDecoder) -> float:
    """For one weight of a decoder that has translated before."""
    seconds = []
    for value in np.linspace(0.1, 0.2, 1000).tolist():
        start = time.perf_counter()
        decoder.update_weights([0], [value])
        seconds.append(time.perf_counter() - start)
    return 1e6 * statistics.median(seconds)


def feature_costs(model: Path) -> dict[str, Any]:
    """The same search with few and with very many weights: the many are too small to change it."""
    lines, opened = sentences(), TranslationModel.open(model)
    table, lm, options = opened.table, opened.language_models, opened.options(pop_limit=100)
    specs = split_features(opened.system.features)[0].specs
    few = HieroDecoder(table, FeatureSet(specs).compile(table), lm, Weights.read(model / WEIGHTS), options)
    base = cpu_seconds(few, lines)

    many_specs = [*specs, *parse_features("id,word_pair,lexical_alignment,lexical_rule:more_than=0")]
    features = FeatureSet(many_specs).compile(table)
    many = HieroDecoder(table, features, lm, options=options)
    vector = many.index.vector(Weights.read(model / WEIGHTS))[0]
    vector[vector == 0] = 1e-9
    path = model / "many.tsv"
    many.index.weights(vector).write(path)
    start = time.process_time()
    many.set_weights(Weights.read(path))
    many.translate(lines[:1])
    first = time.process_time() - start
    with_many = cpu_seconds(many, lines)

    across = HieroDecoder(table, FeatureSet(specs).compile(table), lm, options=options,
                          state_features=["target_bigrams"])  # fmt: skip
    words = [word for word in table.target_vocabulary.words if word.isalpha()]
    random = np.random.default_rng(1)
    pairs = {f"target_bigrams:{words[a]}_{words[b]}" for a, b in random.integers(0, len(words), (110_000, 2))}
    given = Weights.read(model / WEIGHTS)
    across.set_weights(
        Weights.from_mapping({**dict(given.items()), **dict.fromkeys(sorted(pairs)[:100_000], 1e-9)})
    )
    with_bigrams = cpu_seconds(across, lines)
    return {"pop_limit": 100, "few_features": len(few.index), "few_cpu_seconds": round(base, 3),
            "many_features": int(np.count_nonzero(vector)), "many_cpu_seconds": round(with_many, 3),
            "many_over_few": round(with_many / base, 3),
            "weights_file_to_first_translation_seconds": round(first, 3),
            "few_update_microseconds": round(update_microseconds(few), 1),
            "many_update_microseconds": round(update_microseconds(many), 1),
            "bigram_weights": 100_000, "bigrams_over_few": round(with_bigrams / base, 3)}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--picture", type=Path, metavar="FILE.svg")
    parser.add_argument("--training-data", type=Path, metavar="MODEL")
    parser.add_argument("--pop-limit", type=int, action="append", help="of --training-data; may be repeated")
    arguments = parser.parse_args()
    if arguments.training_data:
        for pop_limit in (arguments.pop_limit or [100, 200]) if SOURCE.is_file() else ():
            work = partial(decode_training_data, arguments.training_data, pop_limit)
            measure.report("decode_training_data", measure.in_child(work))
        return
    if not (measure.SHARED / "reference/moses-hiero").is_dir():
        return
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model"
        import_moses(measure.SHARED / "reference/moses-hiero/moses.ini", model)
        curve(model, arguments.picture)
        measure.report("decode_features", measure.in_child(partial(feature_costs, model)))


if __name__ == "__main__":
    main()
