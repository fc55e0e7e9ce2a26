"""Extraction and scoring compared with the recorded times of Moses, two threads.

With Moses' limits; on multi30k-de-en where ../shared is there, else on the phrasebook. With --more also zh-en
(aligned here first), with --million a million pairs (zh-en repeated, every tenth word replaced) in 2 GiB.
"""

from __future__ import annotations

import random
import runpy
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from typing import Any

import measure

from tunesmith.alignment import WordAlignments, align, read_alignments
from tunesmith.corpus.bitext import Bitext, read_bitext
from tunesmith.grammar import ExtractOptions, RuleTable, extract_rules

# Wall seconds on two cores, and rules, of Moses (../shared/reference/README.md). The phrase time includes the
# reordering model; of the hierarchical times (7 to 8.7 minutes) the shorter one is taken.
RECORDED = {
    ("multi30k-de-en", "phrase"): (69.0, 1.22e6),
    ("multi30k-de-en", "hiero"): (7 * 60.0, 11.5e6),
    ("zh-en", "hiero"): (5.3 * 60, 7.6e6),
}
RECORDED_CALIBRATION = 0.58
THREADS = 2
MILLION = 1_000_000


def calibration() -> float | None:
    """Seconds of the recorded calibration work on this machine; the shortest of five, which flatters us least."""
    script = measure.SHARED / "reference/calibrate.py"
    if not script.exists():
        return None
    work = runpy.run_path(str(script))["work"]
    seconds = []
    for _ in range(5):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def multi30k() -> tuple[Bitext, WordAlignments]:
    """Text and recorded alignment."""
    folder = measure.SHARED / "data/multi30k-de-en"
    bitext = read_bitext(folder / "train.de.gz", folder / "train.en.gz")
    name = "multi30k-de-en.grow-diag-final-and.gz"
    return bitext, read_alignments(measure.SHARED / "reference/align" / name, bitext)


def phrasebook() -> tuple[Bitext, WordAlignments]:
    """The built-in corpus, aligned by the fastest model."""
    from tunesmith.alignment import AlignerOptions
    from tunesmith.corpus.phrasebook import PhrasebookOptions, generate

    pairs = generate(PhrasebookOptions(pairs=20_000)).train
    bitext = Bitext([pair.source for pair in pairs], [pair.target for pair in pairs])
    return bitext, align(bitext, AlignerOptions(model="fast_align"), threads=THREADS).joined


def zh_en() -> tuple[Bitext, WordAlignments]:
    """Text, and an alignment computed here."""
    folder = measure.SHARED / "data/zh-en"
    bitext = read_bitext(folder / "train.zh.gz", folder / "train.en.gz")
    return bitext, align(bitext, threads=THREADS).joined


def million() -> tuple[Bitext, WordAlignments]:
    """zh-en again and again, one word in ten replaced by another word of the corpus; the alignment stays."""
    bitext, alignments = zh_en()
    rng = random.Random(1)
    sides = []
    for lines in (bitext.source, bitext.target):
        words = [word for line in lines for word in line.split()]
        repeated = (lines[at % len(lines)].split() for at in range(MILLION))
        sides.append(
            [" ".join(rng.choice(words) if rng.random() < 0.1 else word for word in line) for line in repeated]
        )
    links = [alignments[at] for at in range(len(alignments))]
    return Bitext(sides[0], sides[1]), WordAlignments.from_links(links[at % len(links)] for at in range(MILLION))


CORPORA = {"multi30k-de-en": multi30k, "phrasebook": phrasebook, "zh-en": zh_en, "zh-en, 1 M pairs": million}


def extracted(text: str, kind: str, memory: int) -> dict[str, Any]:
    """Seconds of extraction and scoring, of opening the table, and its size."""
    bitext, alignments = CORPORA[text]()
    options = ExtractOptions.moses(kind)
    marks: dict[str, float] = {}
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()

        def mark(what: str, done: int, total: int) -> None:
            marks.setdefault(what, time.perf_counter() - start)

        path = Path(folder) / "rules"
        table = extract_rules(bitext, alignments, path, options, threads=THREADS, memory=memory, progress=mark)
        seconds = time.perf_counter() - start
        start = time.perf_counter()
        RuleTable.open(path)
        opened = time.perf_counter() - start
        size = sum(entry["bytes"] for entry in table.manifest["files"].values())
        return {
            "text": text,
            "kind": kind,
            "pairs": len(bitext),
            "rules": len(table),
            "occurrences": table.manifest["totals"]["occurrences"],
            "seconds": round(seconds, 2),
            "started_after": {what: round(at, 2) for what, at in marks.items()},
            "pairs_a_second": round(len(bitext) / seconds),
            "open_seconds": round(opened, 4),
            "table_mb": round(size / 1e6),
        }


def run(text: str, kind: str, memory: int = 4 << 30) -> None:
    """One line, with the ratio to Moses where there is one."""
    result = measure.in_child(partial(extracted, text, kind, memory))
    here = calibration() if (text, kind) in RECORDED else None
    if here is not None:
        recorded, rules = RECORDED[text, kind]
        result |= {
            "moses_seconds_recorded": recorded,
            "moses_rules": rules,
            "calibration": round(here, 3),
            "speed_ratio_scaled": round(recorded * here / RECORDED_CALIBRATION / result["seconds"], 1),
        }
    measure.report(f"extract_{kind}", result)


if __name__ == "__main__":
    shared = (measure.SHARED / "data/multi30k-de-en").is_dir()
    for kind in ("phrase", "hiero"):
        run("multi30k-de-en" if shared else "phrasebook", kind)
    if shared and "--more" in sys.argv:
        run("zh-en", "hiero")
    if shared and "--million" in sys.argv:
        run("zh-en, 1 M pairs", "hiero", 2 << 30)
