"""Protocol of the matrix of a candidate set, independent of its storage."""

from __future__ import annotations

from typing import Any, Protocol

from numpy.typing import NDArray

from tunesmith import _core

Arrays = dict[str, NDArray[Any]]


class Matrix(Protocol):
    """One row per candidate, one column per feature. All computing is done by `native`."""

    @property
    def rows(self) -> int:
        """The number of candidates."""

    @property
    def columns(self) -> int:
        """The number of features."""

    @property
    def native(self) -> _core.CandidateMatrix:
        """Matrix for the core, which has checked every index."""

    def arrays(self) -> Arrays:
        """Return the stored arrays, by the names in `search.arrays`."""

    def flat(self) -> Arrays:
        """Return arrays whose entries belong to candidates, not to sentences, as merging needs them."""

    def select(self, begin: int, end: int, first: int, last: int) -> Matrix:
        """Return the rows from `first` to `last`, of the sentences from `begin` to `end`, sharing memory."""

    def from_arrays(self, arrays: Arrays, columns: int) -> Matrix:
        """Build a matrix of this kind from other arrays, stored or flat, including `offsets` of sentences."""
