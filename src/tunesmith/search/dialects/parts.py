"""Results of readers of the core: all candidates at the end, or candidates of finished sentences on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

import numpy as np

from tunesmith import _core
from tunesmith.errors import core_errors
from tunesmith.features.index import FeatureIndex
from tunesmith.search.dialects.base import BadLines, ListFile
from tunesmith.search.dialects.input import ListInput
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.plain import PlainMatrix
from tunesmith.search.lists.words import WordLists

FIRST_LINES = 1000
"""Lines of the first part, fixed so that it does not depend on the blocks of a pipe."""

T = TypeVar("T")
Feed = Callable[[bytes], None]


def read_whole(reader: _core.ListReader, data: ListInput, dialect: str, feed: Feed | None = None) -> ListFile:
    """Return all candidates of the file by ascending sentence; candidates of a sentence keep their order."""
    with core_errors(data.name):
        for block in data.blocks():
            (feed or reader.add)(block)
        reader.finish()
        part = reader.take()
    bad = BadLines(reader.bad_count, tuple(reader.bad_lines()))
    return ListFile(_candidates(part, FeatureIndex(reader.features())), dialect, bad=bad)


def by_sentence(found: Mapping[int, T], sentences: int) -> list[T] | None:
    """Return the entries by sentence; None unless every sentence has an entry."""
    if not found or not all(sentence in found for sentence in range(sentences)):
        return None
    return [found[sentence] for sentence in range(sentences)]


def read_parts(
    reader: _core.ListReader, data: ListInput, dialect: str, feed: Feed | None = None
) -> Iterator[ListFile]:
    """Yield parts of a list with ascending sentences, each with the lines skipped since the previous part.

    All parts share an index of features, which grows. A part has at least half as many candidates as there are
    features, since each part takes time for every feature.
    """
    names = FeatureIndex()
    told = 0

    def part() -> ListFile:
        taken = reader.take()
        for name in reader.features(len(names)):
            names.add(name)
        bad = BadLines(reader.bad_count - told, tuple(reader.bad_lines()[told:]))
        first = taken.first
        return ListFile(_candidates(taken, names), dialect, bad=bad, first=first)

    lines = _Blocks(data)
    for block in lines:
        with core_errors(data.name):
            (feed or reader.add)(block)
        if reader.rows >= max(FIRST_LINES, reader.columns // 2):
            found = part()
            if found.candidates.sentences:
                lines.exact = False
                told = reader.bad_count
                yield found
    with core_errors(data.name):
        reader.finish()
    yield part()


class _Blocks:
    """Bytes of a file in blocks of FIRST_LINES lines while `exact`, then in blocks as they arrive."""

    def __init__(self, data: ListInput) -> None:
        self._blocks = data.blocks()
        self.exact = True

    def __iter__(self) -> Iterator[bytes]:
        held = b""
        for block in self._blocks:
            if not self.exact:
                yield held + block
                held = b""
                continue
            held += block
            while self.exact and (end := _end_of_line(held, FIRST_LINES)) is not None:
                yield held[:end]
                held = held[end:]
        if held:
            yield held


def _end_of_line(text: bytes, number: int) -> int | None:
    """Return the end of line `number` (from 1), line end included; None if there are fewer lines."""
    lines = text.split(b"\n", number)
    return None if len(lines) <= number else len(text) - len(lines[-1])


def _candidates(part: _core.ListPart, names: FeatureIndex) -> CandidateSet:
    sentences, scores = part.sentences(), part.scores()
    rest = WordLists(*part.rest()) if part.has_rest else None
    words = WordLists(*part.words())
    offsets = part.offsets()
    stated = part.stated()
    if len(sentences):
        rising = np.sort(sentences)
        offsets = np.searchsorted(rising, np.arange(int(rising[-1]) + 2))
    read = CandidateSet(
        PlainMatrix(part.columns, *part.matrix(), stated=stated),
        offsets,
        features=names,
        words=words,
        model_scores=scores if len(scores) else None,
        rest=rest,
    )
    if np.any(np.diff(sentences) < 0):
        return read.take(np.argsort(sentences, kind="stable"), offsets)
    return read
