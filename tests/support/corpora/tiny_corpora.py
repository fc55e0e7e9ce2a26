"""Small random aligned corpora, whose sentences have many rules in common."""

from __future__ import annotations

import random

from tunesmith.alignment.pharaoh import WordAlignments
from tunesmith.corpus.bitext import Bitext

Corpus = tuple[Bitext, WordAlignments]


def tiny_corpus(seed: int, pairs: int = 7, longest: int = 5) -> Corpus:
    """Sentences over four words, translated word by word with noise in words, order and links."""
    source = random.Random(seed)
    lines: list[tuple[str, str]] = []
    links = []
    for _ in range(pairs):
        words = source.choices("abcd", weights=[6, 4, 2, 1], k=source.randint(2, longest))
        order = list(range(len(words)))
        if source.random() < 0.5:
            at = source.randrange(len(words) - 1)
            order[at : at + 2] = reversed(order[at : at + 2])
        target = [source.choice([words[at].upper()] * 3 + ["X"]) for at in order]
        lines.append((" ".join(words), " ".join(target)))
        links.append([(order[t], t) for t in range(len(words)) if source.random() < 0.9])
    return Bitext([f for f, _ in lines], [e for _, e in lines]), WordAlignments.from_links(links)


def without(corpus: Corpus, *pairs: int) -> Corpus:
    """All pairs but these."""
    bitext, alignments = corpus
    kept = [at for at in range(len(bitext)) if at not in pairs]
    links = WordAlignments.from_links(alignments[at] for at in kept)
    return Bitext([bitext.source[at] for at in kept], [bitext.target[at] for at in kept]), links
