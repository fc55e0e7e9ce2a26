"""Phrase-based decoding compared with the recorded curves of Moses and Moses2 on the same model and sentences.

One JSON line for each pop limit (mean model score, CPU seconds for 1000 sentences on one thread without loading,
peak memory, loading), then one with the ratio to both peers at the mean model score of each of their points, as in
speed_decode.py. Recorded times are scaled by calibrate.py, run between ours, and are without loading (0.6 s of
Moses, 0.75 s of Moses2). With MOSES2=PROGRAM Moses2 runs here in the same run, and is shown at its scores here
besides.

benchmarks/decode_picture.py draws the curves of these lines (research/decoding.md shows them).

The model is that of ../shared/reference/moses-phrase; nothing is measured where it is missing.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import measure
import moses2_peer
from recorded_peers import CALIBRATED, beside, calibration

from tunesmith.decoding import load_decoder
from tunesmith.io import read_lines
from tunesmith.training.import_moses import import_moses

POP_LIMITS = (20, 50, 80, 100, 200, 400, 1000, 2000)
REPEAT = 3
# Mean model score → CPU seconds for 1000 sentences without loading, from the README of the recorded runs.
MOSES2 = {-36.2088: 1.35, -36.2024: 5.4, -36.2020: 23.1}
MOSES = {-36.2087: 4.4, -36.2024: 17.9, -36.2020: 63.2}
MOSES2_LIMITS = (100, 500, 2000)
MOSES2_MB = "150 to 215"
HERE = "Moses2 at its scores here"
CUBES = ("-search-algorithm", "1")  # cube pruning; the file asks for stacks without it


def one_point(model: Path, pop_limit: int) -> dict[str, Any]:
    """A new process: loading, then all sentences with nothing computed before."""
    lines = read_lines(measure.SHARED / "data/multi30k-de-en/test_2016_flickr.de")
    start = time.process_time()
    decoder = load_decoder(model, pop_limit=pop_limit, stack_limit=pop_limit)
    loaded = time.process_time()
    best = decoder.translate(lines)
    done = time.process_time()
    return {
        "mean_model_score": round(sum(one.score for one in best) / len(best), 4),
        "cpu_seconds": done - loaded,
        "loading_cpu_seconds": loaded - start,
        "peak_mb": round(measure.memory_kilobytes("VmHWM") / 1024),
    }


def main() -> None:
    if not (measure.SHARED / "reference/moses-phrase").is_dir():
        return
    ours: dict[float, float] = {}
    machine = [calibration()]
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model"
        import_moses(measure.SHARED / "reference/moses-phrase/moses.ini", model)
        for pop_limit in POP_LIMITS:
            repeat = REPEAT if pop_limit < 1000 else 1
            runs = [measure.in_child(partial(one_point, model, pop_limit)) for _ in range(repeat)]
            machine.append(calibration())
            point = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
            ours[point["mean_model_score"]] = point["cpu_seconds"]
            rounded = {key: round(value, 4) for key, value in point.items()}
            measure.report("phrase_decoding", {"pop_limit": pop_limit, **rounded, "sentences": 1000, "threads": 1})
    lines = read_lines(measure.SHARED / "data/multi30k-de-en/test_2016_flickr.de")
    moses2 = moses2_peer.curve("moses-phrase/moses.ini", lines, MOSES2_LIMITS, more=CUBES)
    # This build gives lower scores than those recorded, which stay the ones to beat: it is a peer of its own.
    measured = None if moses2 is None else {HERE: moses2}
    scale, points = beside(ours, {"Moses2": MOSES2, "Moses": MOSES}, statistics.median(machine), measured)
    measure.report("phrase_decoding_ratio", {
        "calibration": round(statistics.median(machine), 3), "recorded": CALIBRATED, "scaled": round(scale, 2),
        "peer_mb": MOSES2_MB, "points": points})  # fmt: skip


if __name__ == "__main__":
    main()
