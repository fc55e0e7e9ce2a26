"""Perplexities of a text under classes, with maximum-likelihood parameters of that text."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from tunesmith import _core
from tunesmith.clustering.classes import UNKNOWN, WordClasses
from tunesmith.clustering.counting import count_bigrams
from tunesmith.errors import FormatError, core_errors

_NEVER = 2**62  # greater than the count of any word


@dataclass(frozen=True)
class ClassPerplexity:
    """Perplexities of a text under classes, parameters estimated on the text itself.

    words: words of the map that occur in the text.
    unknown_tokens: words of the text that the map lacks. one_sided: p(w|c) p(c|v), v the previous word.
    two_sided: p(w|c) p(c|c'), c' the previous class. bidirectional: geometric mean of one_sided from left to right
        and from right to left.
    """

    tokens: int
    unknown_tokens: int
    words: int
    classes: int
    one_sided: float
    two_sided: float
    bidirectional: float


def perplexity(
    lines: Iterable[str], classes: WordClasses, *, min_count: int = 1, digits_to_one: bool = False
) -> ClassPerplexity:
    """Score a map of any tool on a text.

    Words that the map lacks count as `<unk>`, with its own class unless the map has one.

    min_count: words of the map that are rarer in the text count as missing, so that maps of tools with different
        limits can be compared.
    """
    return perplexity_of(count_bigrams(lines, digits_to_one=digits_to_one), classes, min_count=min_count)


def perplexity_of(counter: _core.BigramCounter, classes: WordClasses, *, min_count: int = 1) -> ClassPerplexity:
    """Score a map on bigram counts of a text, as `perplexity` does."""
    import numpy as np

    if counter.tokens == 0:
        raise FormatError("the text has no words, so it has no perplexity")
    with core_errors(None):
        known = list(classes)
        if min_count > 1:
            known = [word for word in counter.choose(min_count, []).words() if word in classes]
        bigrams = counter.choose(_NEVER, known)
        words = bigrams.words()
        numbers = classes.numbers(words)
        numbers[numbers < 0] = len(classes.names)
        forward, backward, two_sided = _core.class_likelihood(bigrams, numbers)
    unknown = {
        word: count for word, count in zip(words, bigrams.counts().tolist(), strict=True) if word == UNKNOWN
    }
    return ClassPerplexity(
        tokens=counter.tokens,
        unknown_tokens=sum(unknown.values()),
        words=len(words) - len(unknown),
        classes=len(np.unique(numbers)),
        one_sided=math.exp(-forward / counter.tokens),
        two_sided=math.exp(-two_sided / counter.tokens),
        bidirectional=math.exp(-(forward + backward) / (2 * counter.tokens)),
    )
