"""The most frequent words of a table, which some templates look at."""

from __future__ import annotations

import numpy as np

from tunesmith.corpus.vocab import SPECIAL, Vocabulary

MOST = 1000
"""Words that a template may look at; 0 is for all."""


def top_words(vocabulary: Vocabulary, size: int) -> list[int]:
    """Return the ids of the `size` most frequent words; of equally frequent ones those with smaller ids.

    A table that was filtered has the vocabularies and counts of the whole one, so the choice is the same.
    """
    counts = vocabulary.counts[len(SPECIAL) :]
    order = np.argsort(-counts, kind="stable")[:size]
    return (order + len(SPECIAL)).tolist()  # type: ignore[no-any-return]
