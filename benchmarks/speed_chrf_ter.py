"""chrF, chrF++ and TER statistics against sacrebleu's own: same strings in, references cached on both sides.

Text: English of the phrasebook and, where ../shared is there, English and Chinese of zh-en; candidates are
references with words moved or lost (`speed_bleu.py`). One thread, and two for what they gain.
"""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from functools import partial
from typing import Any

import measure
import numpy as np
from sacrebleu.metrics.base import Metric as Judge
from sacrebleu.metrics.chrf import CHRF
from sacrebleu.metrics.ter import TER
from speed_bleu import damaged

from tunesmith.corpus.phrasebook import PhrasebookOptions, generate
from tunesmith.metrics import ChrF, Metric, Ter

METRICS: dict[str, tuple[Metric, Callable[[], Judge]]] = {
    "chrF": (ChrF(), CHRF),
    "chrF++": (ChrF(word_order=2), partial(CHRF, word_order=2)),
    "TER": (Ter(), partial(TER, case_sensitive=True)),
}
CANDIDATES = 2000
REPEATED = 10  # times that ours counts them, to have something to measure


def ours(name: str, hypotheses: list[str], references: list[list[str]], threads: int) -> dict[str, Any]:
    """Seconds and the sum of the rows."""
    prepared = METRICS[name][0].prepare(references)
    sentences = np.tile(np.arange(len(references)), REPEATED)
    many = hypotheses * REPEATED
    seconds = measure.median_seconds(lambda: prepared.statistics(many, sentences, threads=threads), repeat=5)
    totals = prepared.statistics(hypotheses, threads=threads).sum(axis=0)
    return {"seconds": seconds / REPEATED, "totals": totals.tolist()}


def theirs(name: str, hypotheses: list[str], references: list[list[str]]) -> dict[str, Any]:
    """The same by the methods that sacrebleu's corpus_score uses, line by line."""
    judge = METRICS[name][1]()
    cache = [judge._extract_reference_info([judge._preprocess_segment(text) for text in of]) for of in references]
    found: list[list[float]] = []

    def statistics() -> None:
        found[:] = [
            judge._compute_segment_statistics(judge._preprocess_segment(hypothesis), of)
            for hypothesis, of in zip(hypotheses, cache, strict=True)
        ]

    return {"seconds": measure.median_seconds(statistics, repeat=3), "totals": np.sum(found, axis=0).tolist()}


def run(text: str, lines: list[str]) -> None:
    """Both sides, each in its own process."""
    rng = random.Random(1)
    lines = [line for line in lines if len(line.split()) > 2]
    references = [[lines[at % len(lines)]] for at in range(CANDIDATES)]
    hypotheses = [damaged(of[0], rng) for of in references]
    for name in METRICS:
        one, two = (measure.in_child(partial(ours, name, hypotheses, references, threads)) for threads in (1, 2))
        judge = measure.in_child(partial(theirs, name, hypotheses, references))
        each = {"ours": one, "two_threads": two, "sacrebleu": judge}
        measure.report(
            "chrf_ter",
            {
                "metric": name,
                "text": text,
                "microseconds": {side: round(it["seconds"] / CANDIDATES * 1e6, 2) for side, it in each.items()},
                "ratio": round(judge["seconds"] / one["seconds"], 1),
                "wanted_ratio": 30,
                "threads_ratio": round(one["seconds"] / two["seconds"], 2),
                "added_mb": {side: it["added_mb"] for side, it in each.items()},
                "equal": one["totals"] == two["totals"] == judge["totals"],
            },
        )


def main() -> None:
    """Every text that is here."""
    corpus = generate(PhrasebookOptions(pairs=CANDIDATES, eval_sentences=10))
    run("phrasebook", [pair.target for pair in corpus.train])
    data = measure.SHARED / "data" / "zh-en"
    for side in ("en", "zh") if data.is_dir() else ():
        with gzip.open(data / f"train.{side}.gz", "rt", encoding="utf-8") as lines:
            run(f"zh-en, {side}", [next(lines).strip() for _ in range(CANDIDATES)])


if __name__ == "__main__":
    main()
