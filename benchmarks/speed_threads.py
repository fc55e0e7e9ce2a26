"""What a second thread gains in decoding, extraction, language models, MERT restarts and BLEU statistics.

Each kind of work runs on one and on two threads in turn, each time in a new process; the median of the clock's
times counts, and the load of the machine is printed with it, since other programs take the second processor away.
CPU times say what the second thread costs besides.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import measure
import numpy as np
from speed_extract import multi30k
from speed_tuning import reference_lists

from tunesmith.decoding import load_decoder
from tunesmith.grammar import ExtractOptions, extract_rules
from tunesmith.io import read_lines
from tunesmith.lm import LmOptions, estimate
from tunesmith.metrics import Bleu
from tunesmith.training.import_moses import import_moses
from tunesmith.tuning import recipes
from tunesmith.tuning.pools.lists import ListPool

REPEAT = 3
DATA, REFERENCE = measure.SHARED / "data", measure.SHARED / "reference"


def english() -> list[str]:
    """The English of three corpora, 1.27 million tokens."""
    names = ("zh-en", "fr-en", "multi30k-de-en")
    return [line for name in names for line in read_lines(DATA / name / "train.en.gz")]


def decoding(folder: Path, threads: int) -> Callable[[], Any]:
    decoder = load_decoder(folder / "hiero", pop_limit=100)
    lines = read_lines(DATA / "multi30k-de-en/test_2016_flickr.de")[:300]
    return lambda: decoder.candidate_arrays(lines, 100, threads=threads)


def extraction(folder: Path, threads: int) -> Callable[[], Any]:
    bitext, alignments = multi30k()
    return lambda: extract_rules(
        bitext, alignments, folder / f"rules-{os.getpid()}", ExtractOptions.moses("phrase"), threads=threads
    )


def language_model(folder: Path, threads: int) -> Callable[[], Any]:
    lines = english()
    return lambda: estimate(lines, LmOptions(temporary=str(folder)), threads=threads).write_arpa(os.devnull)


def mert(folder: Path, threads: int) -> Callable[[], Any]:
    lists, start, _ = reference_lists(REFERENCE / "tune")
    recipe = recipes.mert()

    def work() -> Any:
        objective = recipe.loss.prepare(ListPool(lists), recipe.metric, 1)
        return recipe.optimizer.minimize(objective, recipe.regularizer, start, seed=1, threads=threads)

    return work


def bleu_statistics(folder: Path, threads: int) -> Callable[[], Any]:
    lines = english()[:50_000]
    prepared, sentences = Bleu().prepare([(line,) for line in lines]), np.arange(len(lines))
    return lambda: prepared.statistics(lines, sentences, threads=threads)


WORK = {
    "decoding": decoding,
    "extraction": extraction,
    "language model": language_model,
    "MERT restarts": mert,
    "BLEU statistics": bleu_statistics,
}


def timed(name: str, folder: Path, threads: int) -> dict[str, Any]:
    """Seconds of the clock and of the processors."""
    work = WORK[name](folder, threads)
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return {"seconds": time.perf_counter() - wall, "cpu_seconds": time.process_time() - cpu}


def main() -> None:
    if not REFERENCE.is_dir():
        return
    with tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        import_moses(REFERENCE / "moses-hiero/moses.ini", folder / "hiero")
        for name in WORK:
            runs: dict[int, list[dict[str, Any]]] = {1: [], 2: []}
            for _ in range(REPEAT):
                for threads, measured in runs.items():
                    measured.append(measure.in_child(partial(timed, name, folder, threads)))
            wall, cpu = (
                {threads: statistics.median(run[kind] for run in each) for threads, each in runs.items()}
                for kind in ("seconds", "cpu_seconds")
            )
            measure.report("threads", {
                "work": name, "one_seconds": round(wall[1], 3), "two_seconds": round(wall[2], 3),
                "times_faster": round(wall[1] / wall[2], 2), "one_cpu_seconds": round(cpu[1], 3),
                "two_cpu_seconds": round(cpu[2], 3), "load": round(os.getloadavg()[0], 1)})  # fmt: skip


if __name__ == "__main__":
    main()
