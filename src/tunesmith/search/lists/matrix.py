"""What a candidate set asks of its matrix, however that is stored."""

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
        """The matrix for the core, which has checked every index."""

    def arrays(self) -> Arrays:
        """The arrays as they are stored, by the names in `search.arrays`."""

    def flat(self) -> Arrays:
        """Arrays whose entries belong to candidates only, not to their sentences: what merging takes apart."""

    def select(self, begin: int, end: int, first: int, last: int) -> Matrix:
        """The rows from `first` to `last`, which are those of the sentences from `begin` to `end`; same memory."""

    def from_arrays(self, arrays: Arrays, columns: int) -> Matrix:
        """The matrix of the same kind over other arrays, stored or flat, `offsets` of sentences among them."""
