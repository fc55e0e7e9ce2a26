"""Words ↔ ids. Ids 0, 1, 2 are `<unk>`, `<s>`, `</s>`; the others follow by falling count."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from tunesmith import _core
from tunesmith.checks import at_least, given
from tunesmith.corpus.given_text import GivenLines, line_stream
from tunesmith.errors import FormatError
from tunesmith.io import StrPath, display_name, iter_lines, write_lines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SPECIAL = ("<unk>", "<s>", "</s>")
UNKNOWN, SENTENCE_BEGIN, SENTENCE_END = range(3)

_BATCH = 10_000  # lines handed to the core at once
_LARGEST = 2**63 - 1


class Vocabulary:
    """A fixed list of words with their counts. Words are what `str.split()` finds in a line.

    The count of `<unk>` is that of all occurrences left out, so that the counts sum to the words of the text.
    """

    def __init__(self, native: _core.Vocabulary) -> None:
        self.native = native

    @classmethod
    def build(cls, lines: GivenLines, limit: int | None = None, min_count: int = 1) -> Vocabulary:
        """Return the most frequent words of these lines, equally frequent ones in the order of their code points.

        limit: how many words are kept besides the three special ones; None keeps all.
        min_count: rarer words are left out.
        """
        at_least(0, **given(limit=limit))
        at_least(1, min_count=min_count)
        counter = _core.WordCounter()
        stream = line_stream(lines)
        while batch := list(islice(stream, _BATCH)):
            counter.add(batch)
        return cls(counter.choose(limit, min_count))

    def __len__(self) -> int:
        return len(self.native)

    def __contains__(self, word: object) -> bool:
        return isinstance(word, str) and self.native.find(word) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self.native.words())

    def __repr__(self) -> str:
        return f"Vocabulary of {len(self)} words"

    def id(self, word: str) -> int:
        """Return the id of the word, that of `<unk>` if it is not in the list."""
        found = self.native.find(word)
        return UNKNOWN if found is None else found

    def word(self, id: int) -> str:
        """Return the word with this id; ValueError if there is none."""
        return self.native.word(id)

    @property
    def words(self) -> list[str]:
        """All words, in the order of their ids; a new list."""
        return list(self._words)

    @cached_property
    def _words(self) -> list[str]:
        return self.native.words()

    @property
    def counts(self) -> NDArray[np.int64]:
        """The count of every word, in the order of their ids; a new array."""
        return self.native.counts()

    def encode(self, lines: Sequence[str], threads: int = 1) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Return ids of all words, and offsets: line i is `ids[offsets[i]:offsets[i + 1]]`."""
        return self.native.encode(lines, threads)

    def decode(self, ids: NDArray[np.int32], offsets: NDArray[np.int64]) -> list[str]:
        """Return the lines that `encode` made arrays of, words joined by one space, unknown words as `<unk>`."""
        return self.native.decode(ids, offsets)

    def save(self, path: StrPath) -> None:
        """Write `word<TAB>count` lines in the order of the ids, all or nothing."""
        counts = self.counts.tolist()
        write_lines(path, (f"{word}\t{count}" for word, count in zip(self, counts, strict=True)))

    @classmethod
    def load(cls, path: StrPath) -> Vocabulary:
        """Read what `save` wrote. Every line is checked; the order of lines is that of the ids."""
        import numpy as np

        name = display_name(path)
        line_of: dict[str, int] = {}
        counts: list[int] = []
        for number, line in enumerate(iter_lines(path), 1):
            word, count = _parse(line, name, number)
            if number <= len(SPECIAL) and word != SPECIAL[number - 1]:
                seen = repr(word) if word.startswith("<") else "another word"
                raise FormatError(_expected_special(number, seen), path=name, line=number)
            if word in line_of:
                raise FormatError(f"the word {word!r} came in line {line_of[word]}", path=name, line=number)
            line_of[word] = number
            counts.append(count)
        if len(counts) < len(SPECIAL):
            number = len(counts) + 1
            raise FormatError(_expected_special(number, "the end of the file"), path=name, line=number)
        return cls(_core.Vocabulary(list(line_of), np.array(counts, dtype=np.int64)))


def _expected_special(number: int, seen: str) -> str:
    return (
        f"expected {SPECIAL[number - 1]}, got {seen}; a vocabulary begins with {', '.join(SPECIAL)}. "
        "Make one from text with: tunesmith vocab"
    )


def _parse(line: str, name: str, number: int) -> tuple[str, int]:
    word, tab, count = line.rpartition("\t")
    known = number > len(SPECIAL)  # until then this may be any file, and nothing of it is shown
    if not tab:
        seen = f", got {line[:80]!r}" if known else "; is this a vocabulary?"
        raise FormatError(f"expected word<TAB>count{seen}", path=name, line=number)
    if not word:
        raise FormatError("the word in front of the tab is empty", path=name, line=number)
    if word.split() != [word]:
        shown = f" {word[:80]!r}" if known else ""
        raise FormatError(f"the word{shown} holds white space", path=name, line=number)
    if not (count.isascii() and count.isdigit() and len(count) <= 19 and int(count) <= _LARGEST):
        shown = f" {count[:80]!r}" if known else ""
        raise FormatError(f"the count{shown} is not a whole number from 0 to {_LARGEST}", path=name, line=number)
    return word, int(count)
