"""Feature decay selection of 20,000 of a million sentences, against a heap in plain Python on a part of them.

The pairs are those of ../shared/data/fr-en and multi30k-fr-en again and again, a tenth of the words replaced by
others of the text so that lines differ; without them, generated text. Prints one JSON line: CPU seconds and added
memory of the million, CPU seconds of both ways on the part, the ratio, and whether both chose the same.
"""

from __future__ import annotations

import heapq
import math
import time
from collections import Counter
from functools import partial
from typing import Any

import numpy as np
from measure import SHARED, in_child, report

from tunesmith.corpus.selection import FeatureDecay
from tunesmith.io import read_lines

PAIRS, PART, CHOSEN, ORDER = 1_000_000, 20_000, 20_000, 5


def _base() -> tuple[list[str], list[str]]:
    """In-domain lines and lines to choose from."""
    folders = [SHARED / "data" / "fr-en", SHARED / "data" / "multi30k-fr-en"]
    if all((folder / "train.fr.gz").is_file() for folder in folders):
        lines = [line for folder in folders for line in read_lines(folder / "train.fr.gz")]
        return read_lines(folders[1] / "val.fr"), lines
    random = np.random.default_rng(1)
    made = [" ".join(f"w{rank}" for rank in row) for row in random.zipf(1.2, size=(100_000, 15)).tolist()]
    return made[:1000], made[1000:]


def corpus(pairs: int) -> tuple[list[str], list[str]]:
    domain, base = _base()
    random = np.random.default_rng(2)
    words = [word for line in base[:20_000] for word in line.split()]
    lines = list(base[:pairs])
    while len(lines) < pairs:
        for line in base[: pairs - len(lines)]:
            split = line.split()
            for at in np.flatnonzero(random.random(len(split)) < 0.1).tolist():
                split[at] = words[int(random.integers(len(words)))]
            lines.append(" ".join(split))
    return domain, lines


def ours(domain: list[str], lines: list[str], chosen: int) -> dict[str, Any]:
    start = time.process_time()
    found = FeatureDecay(ORDER).select(domain, lines, chosen)
    return {"seconds": time.process_time() - start, "lines": found.lines.tolist()}


def million() -> dict[str, Any]:
    domain, lines = corpus(PAIRS)
    found = in_child(partial(ours, domain, lines, CHOSEN))
    return {"seconds": round(found["seconds"], 2), "added_mb": found["added_mb"]}


def python(domain: list[str], lines: list[str], chosen: int) -> dict[str, Any]:
    """The same with dicts and heapq."""
    start = time.process_time()

    def grams(line: str) -> list[tuple[str, ...]]:
        words = line.split()
        return [tuple(words[i:j]) for i in range(len(words)) for j in range(i + 1, min(i + ORDER, len(words)) + 1)]

    counts = Counter(gram for line in domain for gram in grams(line))
    tokens = sum(len(line.split()) for line in domain)
    number = {gram: at for at, gram in enumerate(counts)}
    initial = [math.log(tokens / count) for count in counts.values()]
    taken = [0] * len(initial)
    found = [sorted(Counter(number[gram] for gram in grams(line) if gram in number).items()) for line in lines]
    lengths = [len(line.split()) for line in lines]

    def score(line: int) -> float:
        return sum(n * (initial[gram] / (1.0 + taken[gram])) for gram, n in found[line]) / lengths[line]

    heap = [(-score(line), line) for line in range(len(lines)) if found[line]]
    heapq.heapify(heap)
    best: list[int] = []
    while heap and len(best) < chosen:
        bound, line = heap[0]
        now = -score(line)
        if now > bound:
            heapq.heapreplace(heap, (now, line))
            continue
        heapq.heappop(heap)
        best.append(line)
        for gram, n in found[line]:
            taken[gram] += n
    return {"seconds": time.process_time() - start, "lines": best}


def main() -> None:
    domain, lines = corpus(PART)
    native, plain = ours(domain, lines, PART // 10), python(domain, lines, PART // 10)
    part = {
        "pairs": PART,
        "seconds": round(native["seconds"], 3),
        "python_seconds": round(plain["seconds"], 3),
        "ratio": round(plain["seconds"] / native["seconds"], 1),
        "same": native["lines"] == plain["lines"],
    }
    report("select", {"pairs": PAIRS, "chosen": CHOSEN, "order": ORDER, "million": million(), "part": part})


if __name__ == "__main__":
    main()
