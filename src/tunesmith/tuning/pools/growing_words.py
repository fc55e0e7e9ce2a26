"""Words of a model's vocabulary, and copied source words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import overload

from tunesmith.errors import FormatError


class GrowingWords(Sequence[str]):
    """The vocabulary of a model, followed by new words in order of appearance."""

    def __init__(self, own: Sequence[str] = ()) -> None:
        self._words, self._own = list(own), len(own)
        self._numbers: dict[str, int] = {}

    @property
    def new(self) -> list[str]:
        return self._words[self._own :]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """Number of every word; the later one of duplicates."""
        return {word: number for number, word in enumerate(self._words)}

    def __len__(self) -> int:
        return len(self._words)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        return self._words[at]

    def number(self, word: str) -> int:
        """Return the number of a word, adding it if new."""
        if word not in self._numbers:
            self.numbers[word] = self._numbers[word] = len(self)
            self._words.append(word)
        return self._numbers[word]

    def learn(self, words: Sequence[str], path: str) -> None:
        """Add the new words of a file, which must agree with the known words."""
        new = self.new
        common = min(len(new), len(words))
        if new[:common] != list(words[:common]) or len(set(words)) != len(words):
            raise FormatError("has other words than the graphs of this run", path=path)
        for word in words[common:]:
            self.number(word)
