"""Assigning classes to new words without learning the classes again."""

from __future__ import annotations

from collections.abc import Iterable

from tunesmith import _core
from tunesmith.checks import one_of
from tunesmith.clustering.classes import WordClasses
from tunesmith.clustering.counting import count_bigrams
from tunesmith.clustering.options import OBJECTIVES
from tunesmith.errors import core_errors


def assign(
    lines: Iterable[str],
    classes: WordClasses,
    *,
    objective: str = "one-sided",
    min_count: int = 5,
    digits_to_one: bool = False,
    threads: int = 1,
) -> WordClasses:
    """Assign each word of a text that the map lacks to the class that maximises the objective on this text.

    Words of the map keep their classes; new words are assigned in order of falling count. Rarer words become
    `<unk>`, which gets a class if the map has none for it.
    """
    import numpy as np

    one_of(OBJECTIVES, objective=objective)
    counter = count_bigrams(lines, digits_to_one=digits_to_one)
    with core_errors(None):
        bigrams = counter.choose(min_count, list(classes))
        words = bigrams.words()
        numbers = classes.numbers(words)
        exchange = _core.Exchange(
            bigrams,
            _core.ClassObjective[objective.replace("-", "_")],
            len(classes.names),
            numbers,
            np.asarray(numbers >= 0),
        )
        exchange.make_pass(threads)
    found = exchange.classes()
    new = {word: classes.names[int(found[at])] for at, word in enumerate(words) if numbers[at] < 0}
    counts = bigrams.counts().tolist()
    grown = None if classes.counts is None else {**classes.counts, **dict(zip(words, counts, strict=True))}
    old = {word: classes[word] for word in classes}
    return WordClasses({**old, **new}, None if grown is None else {word: grown[word] for word in (*old, *new)})
