"""Epochs of the online recipes over the development data of zh-en: how many a minute, memory, what updating costs.

Each recipe learns for some epochs in a process of its own, with one thread and with two, on a model with the
default features (trained first, unless `--model` names one); `--features` trains one with others, such as
`default,id` with 1.5 million. `learning` are the epochs alone, `rounds` with the two decodings of dev after each,
of which one is of the other weights. Updating is the CPU time of an epoch without decoding, as a share of
decoding, where a batch is decoded after the updates of the one before. With `--delay 1` another thread decodes it
meanwhile, which seconds by the clock show: the least of the epochs, of CPU seconds the median. The first epoch is
not counted: most weights appear in it.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import measure
import numpy as np

from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.start import feature_parts
from tunesmith.training.train import train_model
from tunesmith.tuning import KBestSource, Observer, recipes
from tunesmith.tuning.loop.batches import BatchDecoder

DATA = measure.SHARED / "data" / "zh-en"
RECIPES = ("expected-bleu", "online-pro", "online-mira", "mixed-mira")


class Steps(Observer):
    """Wall-clock and CPU seconds of each step, and CPU seconds of decoding within epochs."""

    def __init__(self) -> None:
        self.spent: dict[tuple[int, str], tuple[float, float]] = {}
        self.decoding: dict[int, float] = {}
        self._now: tuple[int, str] | None = None
        self._since = 0.0, 0.0

    def step(self, number: int, name: str) -> None:
        now = time.perf_counter(), time.process_time()
        if self._now is not None:
            self.spent[self._now] = now[0] - self._since[0], now[1] - self._since[1]
        self._now, self._since = (number, name), now

    def finished(self, history: Any) -> None:
        self.step(-1, "end")

    def decoded(self, seconds: float) -> None:
        assert self._now is not None
        self.decoding[self._now[0]] = self.decoding.get(self._now[0], 0.0) + seconds


def one(
    model: Path, recipe: str, threads: int, delay: int, epochs: int, k: int, batch: int | None
) -> dict[str, Any]:
    lines = (DATA / "dev.zh").read_text(encoding="utf-8").splitlines()
    files = [path.read_text(encoding="utf-8").splitlines() for path in sorted(DATA.glob("dev.en.*"))]
    source = KBestSource(str(model), lines, [list(each) for each in zip(*files, strict=True)], k)
    steps, decode = Steps(), BatchDecoder.decode

    def timed(self: BatchDecoder, *given: Any) -> Any:
        begin = time.process_time()
        found = decode(self, *given)
        steps.decoded(time.process_time() - begin)
        return found

    if not delay:
        BatchDecoder.decode = timed  # type: ignore[assignment, method-assign]
    settings: dict[str, Any] = {} if batch is None else {"batch": batch}
    recipes.get(recipe, rounds=epochs + 1, delay=delay, **settings).fit(source, threads=threads, observer=steps)
    rounds = range(2, epochs + 2)
    learning = [steps.spent[number, "epoch"] for number in rounds]
    whole = [sum(spent[0] for (at, _), spent in steps.spent.items() if at == number) for number in rounds]
    cpu = [spent[1] for spent in learning]
    decoding = [steps.decoding.get(number, float("nan")) for number in rounds]
    share = float(np.median([(a - b) / b for a, b in zip(cpu, decoding, strict=True)]))
    return {
        "features": len(source.features),
        "learning_epochs_a_minute": round(60 / min(spent[0] for spent in learning), 1),
        "rounds_a_minute": round(60 / min(whole), 1),
        "seconds_of_learning": round(min(spent[0] for spent in learning), 3),
        "cpu_seconds_of_learning": round(float(np.median(cpu)), 3),
        **({} if delay else {"updating_share_of_decoding": round(share, 3)}),
        "peak_mb": round(measure.memory_kilobytes("VmHWM") / 1024),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", type=Path, help="a model of zh-en")
    parser.add_argument("--features", default="default")
    parser.add_argument("--recipe", nargs="+", default=list(RECIPES))
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--delay", type=int, nargs="+", default=[0])
    parser.add_argument("--batch", type=int, help="default: the recipe's")
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--k", type=int, default=100)
    parser.add_argument(
        "--here", action="store_true", help="in this process, for one recipe and number of threads"
    )
    given = parser.parse_args()
    if given.here:
        only = given.recipe[0], given.threads[0], given.delay[0]
        print(json.dumps(one(given.model, *only, given.epochs, given.k, given.batch)))
        return
    if given.model is None and not DATA.exists():
        return
    results: dict[str, Any] = {"k": given.k, "batch": given.batch}
    with tempfile.TemporaryDirectory() as folder:
        model = given.model
        if model is None:
            model = Path(folder) / "model"
            options = TrainOptions(features=feature_parts(given.features))
            train_model(TrainingData(DATA / "train.zh.gz", DATA / "train.en.gz", None), model, options, threads=2)
        for recipe, threads, delay in itertools.product(given.recipe, given.threads, given.delay):
            command = [sys.executable, __file__, "--here", "--model", model, "--recipe", recipe]
            command += ["--threads", threads, "--delay", delay, "--epochs", given.epochs, "--k", given.k]
            command += [] if given.batch is None else ["--batch", given.batch]
            run = subprocess.run(list(map(str, command)), check=True, capture_output=True, text=True)
            name = f"{recipe}_{threads}" + (f"_delay_{delay}" if delay else "")
            results[name] = json.loads(run.stdout.splitlines()[-1])
    measure.report("speed_online_epochs", results)


if __name__ == "__main__":
    main()
