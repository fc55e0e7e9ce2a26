"""Word classes: time, memory and perplexity next to those of ClusterCat and mkcls in ../shared; threads; growth.

Times are CPU seconds of reading and clustering in one thread, without the start of the interpreter; those of
ClusterCat are scaled by calibrate.py. Growth is measured on the larger text repeated, a tenth of the words of each
copy replaced by other words of the text. Threads are compared by wall-clock time of the passes, in turn, before
all other processes where the system allows it.

    python benchmarks/speed_classes.py [compared] [mkcls] [growth] [threads]      all of them without a word
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from functools import partial
from typing import Any

import measure
import numpy as np
from measure import undisturbed
from recorded_peers import calibration

from tunesmith._core import Bigrams, ClassObjective, Exchange
from tunesmith.clustering import ClusteringOptions, WordClasses, cluster, perplexity
from tunesmith.clustering.counting import count_bigrams
from tunesmith.io.texts import Texts

CALIBRATED = 0.645
# Text, classes → ClusterCat's CPU seconds and perplexity: one-sided with --unidirectional, two-sided by default.
RECORDED = {
    ("multi30k", 64): ((0.5, 44.87), (1.0, 63.72)),
    ("multi30k", 512): ((1.8, 32.39), (3.4, 38.52)),
    ("english", 64): ((2.3, 88.42), (3.7, 132.83)),
    ("english", 512): ((6.4, 59.94), (12.4, 76.47)),
}
MKCLS = {"multi30k": 7.5, "english": 20.1}
"""CPU seconds of mkcls by text: 64 classes of all words."""
FOLDERS = {"multi30k": ("multi30k-de-en",), "english": ("zh-en", "fr-en", "multi30k-de-en")}
NOISE = 0.1


def texts(name: str) -> Texts:
    """Training texts of one language, one after the other."""
    return Texts([measure.SHARED / "data" / folder / "train.en.gz" for folder in FOLDERS[name]])


def clustered(name: str, classes: int, objective: str, min_count: int = 5) -> dict[str, Any]:
    """Seconds and perplexities on one text."""
    start = time.process_time()
    learnt = cluster(texts(name), ClusteringOptions(classes, objective, min_count=min_count))
    seconds = time.process_time() - start
    found = perplexity(texts(name), learnt.classes)
    return {
        "cpu_seconds": round(seconds, 3),
        "passes": len(learnt.passes),
        "one_sided": round(found.one_sided, 3),
        "two_sided": round(found.two_sided, 3),
    }


def noisy(lines: list[str], tokens: int) -> list[str]:
    """Copies of the text, cut to about `words` words; some words are replaced by words drawn from the text."""
    rng = random.Random(1)
    words = [word for line in lines for word in line.split()]
    out, count = [], 0
    while count < tokens:
        for line in lines:
            new = [rng.choice(words) if rng.random() < NOISE else word for word in line.split()]
            out.append(" ".join(new))
            count += len(new)
            if count >= tokens:
                break
    return out


def grown(tokens: int, threads: int) -> dict[str, Any]:
    """Seconds for a large text: 10 passes, 512 classes; wall and CPU."""
    lines = noisy(list(texts("english")), tokens)
    before = measure.memory_kilobytes("VmRSS")
    wall, cpu = time.perf_counter(), time.process_time()
    learnt = cluster(lines, ClusteringOptions(512, passes=10), threads=threads)
    return {
        "tokens": learnt.tokens,
        "words": learnt.words,
        "threads": threads,
        "seconds": round(time.perf_counter() - wall, 2),
        "cpu_seconds": round(time.process_time() - cpu, 2),
        "core_mb": round((measure.memory_kilobytes("VmHWM") - before) / 1024, 1),
    }


def passes_of(bigrams: Bigrams, classes: int, objective: str, threads: int) -> float:
    """Wall-clock seconds of 10 passes from the usual start."""
    first = (np.arange(len(bigrams)) % classes).astype(np.int32)
    kind = ClassObjective[objective.replace("-", "_")]
    exchange = Exchange(bigrams, kind, classes, first, np.zeros(len(bigrams), dtype=np.bool_))
    begin = time.perf_counter()
    for _ in range(10):
        exchange.make_pass(threads)
    return time.perf_counter() - begin


def by_threads(tokens: int | None, repeat: int) -> list[dict[str, Any]]:
    """One thread and two, in turn: medians.   tokens: of the text with noise, None for the text itself."""
    lines = list(texts("english"))
    counter = count_bigrams(lines if tokens is None else noisy(lines, tokens), digits_to_one=False)
    bigrams = counter.choose(5, [])
    rows = []
    for objective in ("one-sided", "two-sided"):
        for classes in (64, 512):
            seconds: dict[int, list[float]] = {1: [], 2: []}
            for _ in range(repeat):
                for threads, found in seconds.items():
                    with undisturbed() as alone:
                        found.append(passes_of(bigrams, classes, objective, threads))
            one, two = (statistics.median(found) for found in seconds.values())
            rows.append({"tokens": counter.tokens, "words": len(bigrams), "objective": objective,
                         "classes": classes, "one": round(one, 3), "two": round(two, 3),
                         "ratio": round(one / two, 2), "before_all_others": alone})  # fmt: skip
    return rows


def compared() -> list[dict[str, Any]]:
    """One row for each text, number of classes and objective."""
    scale = calibration() / CALIBRATED
    rows = []
    for (name, classes), recorded in RECORDED.items():
        for objective, (seconds, value) in zip(("one-sided", "two-sided"), recorded, strict=True):
            ours = measure.in_child(partial(clustered, name, classes, objective))
            peer = {"cpu_seconds_scaled": round(seconds * scale, 3), "perplexity": value}
            rows.append({"text": name, "classes": classes, "objective": objective, **ours, "clustercat": peer})
    return rows


def beside_mkcls() -> list[dict[str, Any]]:
    """Classes of all words, as mkcls makes them, by the perplexity that it minimises."""
    scale = calibration() / CALIBRATED
    rows = []
    for name, seconds in MKCLS.items():
        ours = measure.in_child(partial(clustered, name, 64, "two-sided", 1))
        peer = WordClasses.load(measure.SHARED / "reference" / "classes" / f"mkcls.{name}.64.tsv.gz", "mkcls")
        value = perplexity(texts(name), peer).two_sided
        mkcls = {"cpu_seconds_scaled": round(seconds * scale, 3), "two_sided": round(value, 3)}
        rows.append({"text": name, "classes": 64, **ours, "mkcls": mkcls})
    return rows


if __name__ == "__main__":
    if not (measure.SHARED / "data").is_dir():
        sys.exit("the texts are in ../shared, which is not here")
    wanted = sys.argv[1:] or ["compared", "mkcls", "growth", "threads"]
    found: dict[str, Any] = {}
    if "compared" in wanted:
        found["compared"] = compared()
    if "mkcls" in wanted:
        found["mkcls"] = beside_mkcls()
    if "growth" in wanted:
        found["growth"] = [
            measure.in_child(partial(grown, tokens * 10**6, threads))
            for tokens, threads in ((5, 1), (10, 1), (20, 1), (20, 2))
        ]
    if "threads" in wanted:
        found["threads"] = by_threads(None, 5) + by_threads(10_000_000, 3)
    measure.report("classes", found)
