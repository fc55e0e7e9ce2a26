"""Decoding training data with leave-one-out compared with decoding it without, 100-best lists, one thread.

On the phrasebook; `--model MODEL SOURCE TARGET` takes a model directory and the data it was made from.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import measure

from tunesmith.corpus.bitext import read_bitext
from tunesmith.decoding import load_decoder
from tunesmith.metrics import Bleu
from tunesmith.training.leave_one_out import leave_one_out_counts_of

LINES, K, REPEAT = 1000, 100, 5


def phrasebook(folder: Path) -> tuple[Path, Path, Path]:
    """A model of 3,000 pairs, and its data."""
    corpus = folder / "corpus"
    text = ("--source", corpus / "train.zh", "--target", corpus / "train.en")
    for words in (
        ("phrasebook", "--pairs", "3000", "-q", "-o", corpus),
        ("train", *text, "-q", "-o", folder / "model"),
    ):
        subprocess.run([sys.executable, "-m", "tunesmith", *map(str, words)], check=True)
    return folder / "model", folder / "corpus/train.zh", folder / "corpus/train.en"


def main() -> None:
    """One JSON line."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        model, source, target = (
            [Path(each) for each in sys.argv[2:5]] if "--model" in sys.argv[1:] else phrasebook(folder)
        )
        begin = time.process_time()
        own = leave_one_out_counts_of(model, source, target, None, folder / "own")
        finding = time.process_time() - begin
        bitext = read_bitext(source, target)
        step = max(1, len(bitext) // LINES)
        chosen = range(0, len(bitext), step)
        lines, left_out = [bitext.source[at] for at in chosen], own.select(chosen)
        references = [[bitext.target[at]] for at in chosen]
        decoder = load_decoder(model)
        ratios, scores = [], {}
        for _ in range(REPEAT):
            seconds = {}
            for kind, given in (("without", None), ("with", left_out)):
                begin = time.process_time()
                found = decoder.candidate_arrays(lines, K, leave_one_out=given)
                seconds[kind] = time.process_time() - begin
                best = [found.text(int(first)) for first in found.sentences[:-1]]
                scores[kind] = Bleu(lowercase=True).corpus_score(best, references)
            ratios.append(seconds["with"] / seconds["without"])
        report = {
            "ratio": round(statistics.median(ratios), 3),
            "against": "the same lines decoded with all counts",
            "sentences": len(lines),
            "cpu_seconds": {kind: round(value, 2) for kind, value in seconds.items()},
            "pairs": len(bitext),
            "finding_cpu_seconds": round(finding, 2),
            "bleu": {kind: round(value, 2) for kind, value in scores.items()},
            "peak_mb": round(measure.memory_kilobytes("VmHWM") / 1024),
        }
        measure.report("leave_one_out", report)


if __name__ == "__main__":
    main()
