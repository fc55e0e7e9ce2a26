"""Tuning a hierarchical system on multi30k-de-en: 1,014 sentences, 15 rounds, k = 100, `mira`, by pop limit.

CPU time of the whole command with two threads; a quiet machine of two cores takes somewhat more than half of it by
the clock. The scores are those of the weights with the default pop limit, on dev and on the test set.
TUNE_MODEL names a model that is there; else one is trained, which takes half a minute.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import measure

DATA = measure.SHARED / "data/multi30k-de-en"
POP_LIMITS = (200, 50, 30)


def tunesmith(*words: object) -> str:
    """Run a tunesmith command and return what it prints."""
    command = [sys.executable, "-m", "tunesmith", *map(str, words)]
    return subprocess.run(command, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout


def trained(folder: Path) -> Path:
    """The model of TUNE_MODEL, or one of all training pairs."""
    if given := os.environ.get("TUNE_MODEL"):
        return Path(given)
    sides = ["--source", DATA / "train.de.gz", "--target", DATA / "train.en.gz"]
    tunesmith("train", "-q", "-j", 2, *sides, "-o", folder / "model")
    return folder / "model"


def bleu(model: Path, run: Path, data: str) -> float:
    """BLEU of the tuned weights."""
    output = run / f"{data}.out"
    tunesmith("translate", "-q", "-m", model, "-W", run / "weights.tsv", DATA / f"{data}.de", "-o", output)
    printed = tunesmith("evaluate", "-q", "-f", "json", "--refs", DATA / f"{data}.en", "--", output)
    return round(float(json.loads(printed)["metrics"][0]["score"]), 2)


def main() -> None:
    if not DATA.is_dir():
        return
    with tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        model = trained(folder)
        for pop_limit in POP_LIMITS:
            run = folder / str(pop_limit)
            data = ["--dev", DATA / "val.de", "--refs", DATA / "val.en"]
            before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            tunesmith(
                *("tune", "-q", "-m", model, *data, "--recipe", "mira", "--pop-limit", pop_limit, "-j", 2),
                *("-o", run),
            )
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            measure.report("hiero_tuning", {
                "pop_limit": pop_limit, "cpu_seconds": round(cpu, 1),
                "seconds": round(time.perf_counter() - start, 1), "load": round(os.getloadavg()[0], 1),
                "dev": bleu(model, run, "val"), "test": bleu(model, run, "test_2016_flickr")})  # fmt: skip


if __name__ == "__main__":
    main()
