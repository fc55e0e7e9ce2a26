"""Both directions and joining, on zh-en (49 K pairs) where ../shared is there, else on the phrasebook."""

from __future__ import annotations

import time

import measure

from tunesmith.alignment import align, count_translations
from tunesmith.corpus.bitext import Bitext, read_bitext


def corpus() -> tuple[str, Bitext]:
    """Name and text."""
    folder = measure.SHARED / "data/zh-en"
    if folder.is_dir():
        return "zh-en", read_bitext(folder / "train.zh.gz", folder / "train.en.gz")
    from tunesmith.corpus.phrasebook import PhrasebookOptions, generate

    pairs = generate(PhrasebookOptions(pairs=20_000)).train
    return "phrasebook", Bitext([pair.source for pair in pairs], [pair.target for pair in pairs])


def aligned() -> dict[str, object]:
    """Seconds of alignment, and what came out."""
    name, bitext = corpus()
    start = time.perf_counter()
    result = align(bitext, threads=2)
    seconds = time.perf_counter() - start
    tables = count_translations(bitext, result.joined)
    return {
        "text": name,
        "pairs": len(bitext),
        "seconds": round(seconds, 1),
        "links_a_pair": round(len(result.joined.source) / len(bitext), 2),
        "entropy_target_given_source": round(tables.target_given_source.entropy(), 3),
        "entropy_source_given_target": round(tables.source_given_target.entropy(), 3),
    }


if __name__ == "__main__":
    measure.report("align", measure.in_child(aligned))
