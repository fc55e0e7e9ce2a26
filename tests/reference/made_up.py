"""Made-up translations: references of random words, and systems that get some of them wrong."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

WORDS = tuple("abcdefghijklmnopqrstuvw")


def references(n: int, seed: int = 0, count: int = 2) -> list[tuple[str, ...]]:
    """`count` references for each of n sentences; all but the first are edited copies of it."""
    random = np.random.default_rng(seed)
    first = [" ".join(random.choice(WORDS, size=random.integers(5, 16))) for _ in range(n)]
    others = [damaged(first, 0.3, seed + 100 + at) for at in range(1, count)]
    others = [[o if o != f else f + " x" for o, f in zip(other, first, strict=True)] for other in others]
    return list(zip(first, *others, strict=True))


def damaged(lines: Sequence[str], rate: float, seed: int) -> list[str]:
    """Each word is kept, or with probability `rate` replaced, dropped or doubled."""
    random = np.random.default_rng(seed)
    out = []
    for line in lines:
        words: list[str] = []
        for word in line.split():
            if random.random() >= rate:
                words.append(word)
            else:
                words += [[str(random.choice(WORDS))], [], [word, word]][random.integers(3)]
        out.append(" ".join(words))
    return out
