"""Counting words and bigrams of a text, by the core."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from tunesmith import _core

_BATCH = 20_000  # lines passed to the core per call


def count_bigrams(lines: Iterable[str], *, digits_to_one: bool = False) -> _core.BigramCounter:
    """Count words and bigrams; lines are read once, as a stream."""
    if isinstance(lines, str):
        raise TypeError("lines must be an iterable of str, not one str")
    counter = _core.BigramCounter(digits_to_one)
    stream = iter(lines)
    while batch := list(islice(stream, _BATCH)):
        counter.add(batch)
    return counter
