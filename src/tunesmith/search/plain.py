"""Plain candidate matrices: a dense block for the columns most rows have, pairs for the others."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import core_errors

Floats = NDArray[np.float64]


class Matrix(Protocol):
    """What a candidate set holds as its matrix; all work is done by `native`."""

    @property
    def rows(self) -> int: ...
    @property
    def columns(self) -> int: ...
    @property
    def native(self) -> _core.CandidateMatrix: ...


@dataclass(frozen=True, eq=False)
class PlainMatrix:
    """Arrays of a plain matrix (cpp/search/plain_matrix.hpp).

    dense_ids: the columns of the block `dense` (rows × their number), ascending.
    offsets, ids, values: the other columns as CSR, ids ascending in a row.
    The values are float32 where that keeps them as they were given, otherwise float64.
    """

    columns: int
    dense_ids: NDArray[np.uint32]
    dense: NDArray[Any]
    offsets: NDArray[np.int64]
    ids: NDArray[np.uint32]
    values: NDArray[Any]

    @classmethod
    def from_csr(cls, matrix: Any) -> PlainMatrix:
        """A scipy matrix or a dense array, rows are candidates; values are kept exactly."""
        from scipy import sparse

        csr = sparse.csr_matrix(matrix, dtype=np.float64)
        csr.sum_duplicates()
        with core_errors(None):
            arrays = _core.split_columns(
                csr.shape[1], csr.indptr.astype(np.int64), csr.indices.astype(np.uint32), csr.data
            )
        return cls(csr.shape[1], *arrays)

    @property
    def rows(self) -> int:
        """The number of candidates."""
        return len(self.dense)

    @cached_property
    def native(self) -> _core.CandidateMatrix:
        """The same for the core, which checks every index first."""
        return _core.plain_matrix(self.columns, self.dense_ids, self.dense, self.offsets, self.ids, self.values)

    @property
    def bytes(self) -> int:
        """Memory of the arrays."""
        return sum(array.nbytes for array in self.arrays().values())

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays by name."""
        return {
            "dense_ids": self.dense_ids,
            "dense": self.dense,
            "sparse_offsets": self.offsets,
            "sparse_ids": self.ids,
            "sparse_values": self.values,
        }
