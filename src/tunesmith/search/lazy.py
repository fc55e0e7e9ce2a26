"""Sequences whose items are made when they are asked for."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

Item = TypeVar("Item", covariant=True)


class LazySequence(Sequence[Item]):
    """A sequence by its length and the item at each place, which is made again for everyone who asks."""

    @abstractmethod
    def _item(self, at: int) -> Item:
        """The item at a place that exists, counted from 0."""

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
