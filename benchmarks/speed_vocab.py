"""Counting and encoding words: the core against a plain Python loop, on generated text with a Zipf distribution.

Prints one JSON line: seconds (median of 5), ratio, words a second, and the memory each way adds to a new process.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import numpy as np

from tunesmith.corpus.vocab import Vocabulary
from tunesmith.io import read_lines, write_lines

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


def seconds(way: Native | Python, stage: str, lines: list[str]) -> float:
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        getattr(way, stage)(lines)
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def added_memory(way: str, stage: str, text: Path, words: Path) -> float:
    """Megabytes by which the work raises the peak of this process."""
    made, lines = WAYS[way](read_lines(words)), read_lines(text)
    before = peak_kilobytes()
    getattr(made, stage)(lines)
    return round((peak_kilobytes() - before) / 1024, 1)


def peak_kilobytes() -> int:
    """Linux: of this program alone, while getrusage also counts the program that started it."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1])
    raise SystemExit("memory is measured on Linux only")


def main() -> None:
    lines = zipf_text()
    words = Vocabulary.build(lines).words[3:]
    result: dict[str, object] = {"benchmark": "vocab", "words": LINES * WORDS_A_LINE, "types": len(words)}
    with tempfile.TemporaryDirectory() as folder:
        files = [Path(folder) / "text", Path(folder) / "words"]
        for file, content in zip(files, (lines, words), strict=True):
            write_lines(file, content)
        for stage in ("build", "encode"):
            entry: dict[str, float] = {}
            for name, way in WAYS.items():
                entry[f"{name}_seconds"] = round(seconds(way(words), stage, lines), 4)
                command = [sys.executable, __file__, name, stage, *map(str, files)]
                entry[f"{name}_mb"] = float(subprocess.run(command, capture_output=True, check=True).stdout)
            entry["ratio"] = round(entry["python_seconds"] / entry["native_seconds"], 2)
            entry["words_a_second"] = round(LINES * WORDS_A_LINE / entry["native_seconds"])
            result[stage] = entry
    print(json.dumps(result))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        print(added_memory(sys.argv[1], sys.argv[2], Path(sys.argv[3]), Path(sys.argv[4])))
    else:
        main()
