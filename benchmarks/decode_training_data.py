"""Decoding the training data of a model: 100-best lists of every sentence, the main cost of tuning on them.

`speed_decode.py --training-data MODEL` asks for it; MODEL is a directory made by `tunesmith train`.
"""

from __future__ import annotations

import os
import time
from itertools import islice
from pathlib import Path
from typing import Any

import measure

from tunesmith.decoding import load_decoder
from tunesmith.io import read_lines

K, THREADS, LINES = 100, 2, 2000
SOURCE = measure.SHARED / "data/zh-en/train.zh.gz"


def decode_training_data(model: Path, pop_limit: int) -> dict[str, Any]:
    """CPU and wall time, memory at the peak, and the load of the machine, ours included. No list is kept."""
    lines = read_lines(SOURCE)
    decoder = load_decoder(model, pop_limit=pop_limit)
    candidates, total, load = 0, 0.0, []
    cpu, wall = time.process_time(), time.perf_counter()
    stream = iter(lines)
    while batch := list(islice(stream, LINES)):
        found = decoder.candidate_arrays(batch, K, threads=THREADS)
        candidates += len(found)
        total += float(found.scores[found.sentences[:-1]].sum())
        load.append(os.getloadavg()[0])
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return {
        "pop_limit": pop_limit,
        "sentences": len(lines),
        "k": K,
        "threads": THREADS,
        "candidates": candidates,
        "mean_model_score": round(total / len(lines), 4),
        "cpu_minutes": round(cpu / 60, 2),
        "wall_minutes": round(wall / 60, 2),
        "mean_load": round(sum(load) / len(load), 1),
        "peak_mb": round(measure.memory_kilobytes("VmHWM") / 1024),
    }
