"""Sequences whose items are made on access."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

Item = TypeVar("Item", covariant=True)


class LazySequence(Sequence[Item]):
    """A sequence given by its length and a function of the index; items are made again on every access."""

    @abstractmethod
    def _item(self, at: int) -> Item:
        """Return the item at a valid index, counted from 0."""

    @overload
    def __getitem__(self, i: int) -> Item: ...
    @overload
    def __getitem__(self, i: slice) -> list[Item]: ...
    def __getitem__(self, i: int | slice) -> Item | list[Item]:
        if isinstance(i, slice):
            return [self._item(at) for at in range(len(self))[i]]
        if not -len(self) <= i < len(self):
            raise IndexError(f"item {i} of {len(self)}")
        return self._item(i % len(self))

    def __iter__(self) -> Iterator[Item]:
        return map(self._item, range(len(self)))
