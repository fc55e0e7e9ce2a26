"""Small texts and helpers for language-model tests."""

import gzip
import math
import random
from pathlib import Path

from hypothesis import strategies as st

WORDS = ["a", "b", "c", "the", "cat", "我", "internationalisation", "überlebensgroß", "12345678", "."]

lines = st.lists(st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join), min_size=1, max_size=25)


def random_lines(size: int, types: int, seed: int, longest: int = 12) -> list[str]:
    """Text with a few frequent words and many rare ones; parts of lines come again."""
    rng = random.Random(seed)
    words = [f"w{i}" for i in range(types)]
    out: list[str] = []
    for _ in range(size):
        line = [words[min(int(rng.paretovariate(0.7)) - 1, types - 1)] for _ in range(rng.randint(0, longest))]
        if out and rng.random() < 0.4:
            line[1:3] = rng.choice(out).split()[:5]
        out.append(" ".join(line))
    return out


def parse_arpa(data: bytes | str) -> tuple[list[int], dict[tuple[str, ...], tuple[float, float]]]:
    """Announced counts, and log10 probability and back-off of every n-gram; nothing is checked."""
    text = data if isinstance(data, str) else data.decode()
    counts, ngrams = [], {}
    for line in text.split("\n"):
        fields = line.split("\t")
        if line.startswith("ngram "):
            counts.append(int(line.split("=")[1]))
        elif len(fields) > 1:
            ngrams[tuple(fields[1].split(" "))] = (float(fields[0]), float(fields[2]) if len(fields) > 2 else 0.0)
    return counts, ngrams


def log10(x: float) -> float:
    return math.log10(x)


def read_gz(path: Path) -> list[str]:
    with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
        return file.read().split("\n")[:-1]
