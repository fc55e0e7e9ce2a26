"""The words of many candidates: ids over their own vocabulary, which grows when sets are merged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError


@dataclass(frozen=True, eq=False)
class WordLists:
    """Candidate i has the words `vocabulary[id] for id in ids[offsets[i]:offsets[i + 1]]`."""

    vocabulary: Sequence[str]
    ids: NDArray[np.uint32]
    offsets: NDArray[np.int64]

    def __post_init__(self) -> None:
        ids, offsets = self.ids, self.offsets
        if offsets.ndim != 1 or len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != len(ids):
            raise ConfigError("offsets of words must rise from 0 to the number of words")
        if np.any(offsets[1:] < offsets[:-1]):
            raise ConfigError("offsets of words must rise")
        if len(ids) and int(ids.max()) >= len(self.vocabulary):
            raise ConfigError(f"word {int(ids.max())} is not in the vocabulary of {len(self.vocabulary)} words")

    @classmethod
    def from_texts(cls, texts: Sequence[str]) -> WordLists:
        """Build word lists; `str.split()` separates words."""
        number: dict[str, int] = {}
        ids = [number.setdefault(word, len(number)) for text in texts for word in text.split()]
        offsets = np.zeros(len(texts) + 1, dtype=np.int64)
        np.cumsum([len(text.split()) for text in texts], out=offsets[1:])
        return cls(list(number), np.array(ids, dtype=np.uint32), offsets)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def text(self, candidate: int) -> str:
        begin, end = self.offsets[candidate : candidate + 2].tolist()
        return " ".join([self.vocabulary[id] for id in self.ids[begin:end].tolist()])

    def select(self, begin: int, end: int) -> WordLists:
        """Return the words of the candidates from `begin` to `end`, sharing memory."""
        first, last = int(self.offsets[begin]), int(self.offsets[end])
        return WordLists(self.vocabulary, self.ids[first:last], self.offsets[begin : end + 1] - first)
