"""A small random aligned corpus, for tests of whole rule tables."""

from __future__ import annotations

import random

from tunesmith.alignment import WordAlignments
from tunesmith.corpus.bitext import Bitext

LIMITS = {
    "max_span": 6,
    "max_symbols": 4,
    "max_gaps": 2,
    "min_gap": 1,
    "adjacent": False,
    "aligned": True,
    "tight": False,
    "normal_form": False,
}


def corpus(pairs=60, seed=1, longest=7, words=12):
    rng = random.Random(seed)
    source, target, links = [], [], []
    for _ in range(pairs):
        f = [f"f{rng.randrange(words)}" for _ in range(rng.randint(1, longest))]
        e = [f"e{rng.randrange(words)}" for _ in range(rng.randint(1, longest))]
        near = {(i, min(max(0, i + rng.choice((-1, 0, 0, 1))), len(e) - 1)) for i in range(len(f))}
        links.append({link for link in near if rng.random() < 0.8})
        source.append(" ".join(f))
        target.append(" ".join(e))
    return Bitext(source, target), WordAlignments.from_links(links)
