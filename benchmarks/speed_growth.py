"""How time and memory grow with sentences decoded, pairs extracted, tokens of a language model, candidates.

Each point is a new process on one thread. `exponent` is the slope of the logarithm of the CPU time between the
smallest and the largest size; memory is what the work added at its peak. Texts beyond their own size are repeated
with every tenth word exchanged.
"""

from __future__ import annotations

import math
import os
import random
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import measure
import numpy as np
from speed_extract import multi30k
from speed_tuning import large_set

from tunesmith.alignment import WordAlignments
from tunesmith.corpus.bitext import Bitext
from tunesmith.decoding import load_decoder
from tunesmith.grammar import ExtractOptions, extract_rules
from tunesmith.io import read_lines
from tunesmith.lm import LmOptions, estimate
from tunesmith.training.import_moses import import_moses
from tunesmith.tuning import recipes
from tunesmith.tuning.optimizers import PassiveAggressive
from tunesmith.tuning.pools.lists import ListPool

DATA, REFERENCE = measure.SHARED / "data", measure.SHARED / "reference"


def perturbed(lines: list[str], size: int) -> list[str]:
    """The lines again and again, from the second time on with every tenth word exchanged."""
    rng = random.Random(1)
    words = [word for line in lines for word in line.split()]
    more = (lines[at % len(lines)].split() for at in range(len(lines), size))
    changed = (" ".join(rng.choice(words) if rng.random() < 0.1 else word for word in line) for line in more)
    return [*lines[:size], *changed]


def decoding(size: int, folder: Path) -> Callable[[], Any]:
    """Sentences, phrase-based, pop limit 100."""
    lines = perturbed(read_lines(DATA / "multi30k-de-en/test_2016_flickr.de"), size)
    decoder = load_decoder(folder / "phrase", pop_limit=100)
    return lambda: decoder.translate(lines)


def extraction(size: int, folder: Path) -> Callable[[], Any]:
    """Pairs, phrase-based rules of Moses' limits."""
    bitext, alignments = multi30k()
    pairs = Bitext(perturbed(list(bitext.source), size), perturbed(list(bitext.target), size))
    links = [alignments[at] for at in range(len(alignments))]
    joined = WordAlignments.from_links(links[at % len(links)] for at in range(size))
    return lambda: extract_rules(pairs, joined, folder / f"rules-{size}", ExtractOptions.moses("phrase"))


def language_model(size: int, folder: Path) -> Callable[[], Any]:
    """Tokens, order 5."""
    text = read_lines(DATA / "zh-en/train.en.gz")
    tokens = sum(len(line.split()) for line in text)
    lines = perturbed(text, round(size * len(text) / tokens))
    return lambda: estimate(lines, LmOptions(temporary=str(folder))).write_arpa(os.devnull)


def mira(size: int, folder: Path) -> Callable[[], Any]:
    """Candidates with 30 features out of 500,000, ten passes."""
    lists = large_set(size // 100, 100, 500_000, 30)
    recipe = recipes.mira()
    objective = recipe.loss.prepare(ListPool(lists), recipe.metric, 1)
    start = np.zeros(lists.columns)
    return lambda: PassiveAggressive(passes=10).minimize(objective, recipe.regularizer, start, seed=1, threads=1)


WORK: dict[str, tuple[Callable[[int, Path], Callable[[], Any]], tuple[int, ...]]] = {
    "decoding: sentences": (decoding, (1_000, 3_000, 10_000)),
    "extraction: pairs": (extraction, (29_000, 87_000, 290_000)),
    "language model: tokens": (language_model, (400_000, 1_200_000, 4_000_000)),
    "MIRA: candidates": (mira, (30_000, 100_000, 300_000)),
}


def timed(name: str, size: int, folder: Path) -> dict[str, Any]:
    """CPU seconds of one point, with the memory that the work added."""
    work = WORK[name][0](size, folder)
    measure.forget_peak()
    before, start = measure.memory_kilobytes("VmRSS"), time.process_time()
    work()
    seconds = time.process_time() - start
    return {"cpu_seconds": seconds, "work_mb": round((measure.memory_kilobytes("VmHWM") - before) / 1024, 1)}


def main() -> None:
    if not REFERENCE.is_dir():
        return
    with tempfile.TemporaryDirectory() as named:
        folder = Path(named)
        import_moses(REFERENCE / "moses-phrase/moses.ini", folder / "phrase")
        for name, (_, sizes) in WORK.items():
            points = {size: measure.in_child(partial(timed, name, size, folder)) for size in sizes}
            first, last = points[sizes[0]]["cpu_seconds"], points[sizes[-1]]["cpu_seconds"]
            measure.report("growth", {
                "work": name, "sizes": list(sizes),
                "cpu_seconds": [round(each["cpu_seconds"], 3) for each in points.values()],
                "added_mb": [each["work_mb"] for each in points.values()],
                "exponent": round(math.log(last / first) / math.log(sizes[-1] / sizes[0]), 2)})  # fmt: skip


if __name__ == "__main__":
    main()
