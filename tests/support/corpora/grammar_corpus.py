"""A small random aligned corpus for tests of whole rule tables, and its tables as the slow twin writes them."""

from __future__ import annotations

import random
from pathlib import Path

from reference.extraction import hiero_rules, phrase_rules

from tunesmith.alignment import WordAlignments
from tunesmith.corpus.bitext import Bitext
from tunesmith.grammar import HieroOptions, PhraseOptions

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

KINDS = {
    "phrase": (PhraseOptions(4), lambda pair: [[rule] for rule in phrase_rules(*pair, 4, False)]),
    "hiero": (HieroOptions(**LIMITS), lambda pair: [rules for rules in hiero_rules(*pair, **LIMITS) if rules]),
    "hiero, raw counts": (
        HieroOptions(**LIMITS, fractional=False),
        lambda pair: [[rule] for rules in hiero_rules(*pair, **LIMITS) for rule in rules],
    ),
}
"""Limits, and the rules that the slow twin extracts from a pair under them, those that share a count together."""


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


def numbered(table, bitext, alignments):
    """The corpus as ids of the table's vocabularies."""
    return [
        (
            [table.source_vocabulary.id(word) for word in f.split()],
            [table.target_vocabulary.id(word) for word in e.split()],
            set(links),
        )
        for (f, e), links in zip(bitext, alignments, strict=True)
    ]


def as_symbols(words, vocabulary):
    """A side of a rule as the twin writes it."""
    return tuple({"[X,1]": -1, "[X,2]": -2}.get(word, vocabulary.id(word)) for word in words)


def rules_of(table):
    """Rules by their sides as the twin writes them."""
    return {
        (as_symbols(rule.source, table.source_vocabulary), as_symbols(rule.target, table.target_vocabulary)): rule
        for rule in table
    }


def digest(folder: Path):
    """All bytes of a table."""
    return {file.name: file.read_bytes() for file in folder.iterdir()}
