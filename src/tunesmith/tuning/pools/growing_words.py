"""Words of a model's vocabulary, and words of sources that were passed through."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import overload

from tunesmith.errors import FormatError


class GrowingWords(Sequence[str]):
    """The vocabulary of a model, and after it new words in the order in which they were met."""

    def __init__(self, own: Sequence[str] = ()) -> None:
        self._words, self._own = list(own), len(own)
        self._numbers: dict[str, int] = {}

    @property
    def new(self) -> list[str]:
        return self._words[self._own :]

    @cached_property
    def numbers(self) -> dict[str, int]:
        """The number of every word; of a word that is there twice the later one."""
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
        """The number of a new word."""
        if word not in self._numbers:
            self.numbers[word] = self._numbers[word] = len(self)
            self._words.append(word)
        return self._numbers[word]

    def learn(self, words: Sequence[str], path: str) -> None:
        """Take over the new words of a file, which must begin or continue those that are known."""
        new = self.new
        common = min(len(new), len(words))
        if new[:common] != list(words[:common]) or len(set(words)) != len(words):
            raise FormatError("has other words than the graphs of this run", path=path)
        for word in words[common:]:
            self.number(word)
