"""Counting and encoding words: the core against a plain Python loop, on generated text with a Zipf distribution.

Prints one JSON line: seconds (median of 5), ratio, words a second, and the memory each way adds to a new process.
"""

from __future__ import annotations

from collections import Counter
from functools import partial

import numpy as np
from measure import in_child, median_seconds, report

from tunesmith.corpus.vocab import Vocabulary

LINES, WORDS_A_LINE, TYPES, ROUNDS = 100_000, 20, 200_000, 5


def zipf_text() -> list[str]:
    """Lines whose word of rank r has probability proportional to 1/r."""
    random = np.random.default_rng(1)
    probability = 1 / np.arange(1, TYPES + 1)
    ranks = random.choice(TYPES, size=(LINES, WORDS_A_LINE), p=probability / probability.sum())
    return [" ".join(f"word{rank}" for rank in row) for row in ranks.tolist()]


class Native:
    """The core; `words` are those of a vocabulary built before."""

    def __init__(self, words: list[str]) -> None:
        self.vocab = Vocabulary.build(words)

    def build(self, lines: list[str]) -> object:
        return Vocabulary.build(lines)

    def encode(self, lines: list[str]) -> object:
        return self.vocab.encode(lines)


class Python:
    """What one writes without the core: a Counter, and a dict into an array."""

    def __init__(self, words: list[str]) -> None:
        self.id_of = {word: at for at, word in enumerate(words)}

    def build(self, lines: list[str]) -> object:
        counts: Counter[str] = Counter()
        for line in lines:
            counts.update(line.split())
        return {word: counts[word] for word in sorted(counts, key=lambda word: (-counts[word], word))}

    def encode(self, lines: list[str]) -> object:
        ids: list[int] = []
        for line in lines:
            ids += [self.id_of.get(word, 0) for word in line.split()]
        return np.array(ids, dtype=np.int32)


WAYS = {"native": Native, "python": Python}


def once(way: str, stage: str, words: list[str], lines: list[str]) -> dict[str, object]:
    """The work once, for its memory."""
    getattr(WAYS[way](words), stage)(lines)
    return {}


def main() -> None:
    lines = zipf_text()
    words = Vocabulary.build(lines).words[3:]
    result: dict[str, object] = {"words": LINES * WORDS_A_LINE, "types": len(words)}
    for stage in ("build", "encode"):
        entry: dict[str, float] = {}
        for name, way in WAYS.items():
            entry[f"{name}_seconds"] = round(median_seconds(partial(getattr(way(words), stage), lines), ROUNDS), 4)
            entry[f"{name}_mb"] = in_child(partial(once, name, stage, words, lines))["added_mb"]
        entry["ratio"] = round(entry["python_seconds"] / entry["native_seconds"], 2)
        entry["words_a_second"] = round(LINES * WORDS_A_LINE / entry["native_seconds"])
        result[stage] = entry
    report("vocab", result)


if __name__ == "__main__":
    main()
