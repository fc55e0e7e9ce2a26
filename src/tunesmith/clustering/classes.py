"""Words and their classes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from tunesmith.clustering.map_formats import read_map, write_map
from tunesmith.io import StrPath

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

UNKNOWN = "<unk>"
_DIGIT = re.compile("[0-9]")


class WordClasses:
    """A map from words to classes.

    Classes have names; classes learnt by tunesmith are numbers.   counts: of words, if the map has them.
    """

    def __init__(self, classes: Mapping[str, str], counts: Mapping[str, int] | None = None) -> None:
        self._classes = dict(classes)
        self.counts = None if counts is None else dict(counts)
        self.names = sorted(set(self._classes.values()), key=_in_order)

    @classmethod
    def load(cls, path: StrPath, map_format: str = "auto") -> WordClasses:
        """Read a map of any tool; `map_format` is one of `map_formats.FORMATS`, or "auto"."""
        classes, counts = read_map(path, map_format)
        return cls(classes, counts)

    def save(self, path: StrPath, map_format: str = "tsv") -> None:
        """Write a map, all or nothing."""
        write_map(path, self, map_format)

    def __len__(self) -> int:
        return len(self._classes)

    def __iter__(self) -> Iterator[str]:
        return iter(self._classes)

    def __contains__(self, word: object) -> bool:
        return word in self._classes

    def __getitem__(self, word: str) -> str:
        """Return the class of a word of the map."""
        return self._classes[word]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, WordClasses) and self._classes == other._classes

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"WordClasses of {len(self)} words in {len(self.names)} classes"

    def items(self) -> Iterator[tuple[str, str]]:
        """Return words with their classes, in the order of the map."""
        return iter(self._classes.items())

    def find(self, word: str) -> str | None:
        """Return the class of any word, or None.

        The class is that of the word, else that of the word with 0 for its digits, else that of `<unk>`.
        """
        found = self._classes.get(word)
        if found is None and _DIGIT.search(word):
            found = self._classes.get(_DIGIT.sub("0", word))
        return self._classes.get(UNKNOWN) if found is None else found

    def members(self) -> dict[str, list[str]]:
        """Return the words of each class, in the order of the map."""
        members: dict[str, list[str]] = {name: [] for name in self.names}
        for word, name in self._classes.items():
            members[name].append(word)
        return members

    def numbers(self, words: list[str]) -> NDArray[np.int32]:
        """Return the number of each word's class, its index in `names`; -1 for words that the map lacks."""
        import numpy as np

        place = {name: number for number, name in enumerate(self.names)}
        return np.array([place.get(self._classes.get(word, ""), -1) for word in words], dtype=np.int32)


def _in_order(name: str) -> tuple[int, str]:
    """Return a sort key: numbers by value, then all other names; equal values (`01`, `1`) by their characters."""
    return (int(name), name) if name.isascii() and name.isdigit() and len(name) <= 18 else (2**63, name)
