"""Random text whose words have classes."""

from __future__ import annotations

import random


def random_text(seed: int, words: int, lines: int, longest: int = 9) -> list[list[str]]:
    """Lines over words of uneven frequency, with a tendency of some to follow others."""
    rng = random.Random(seed)
    text = []
    for _ in range(lines):
        line, at = [], rng.randrange(words)
        for _ in range(rng.randint(0, longest)):
            line.append(f"w{at}")
            at = (3 * at + rng.choice((0, 0, 1, 5))) % words if rng.random() < 0.7 else rng.randrange(words) // 2
        text.append(line)
    return text
