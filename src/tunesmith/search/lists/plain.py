"""Plain candidate matrices: a dense block for the columns most rows have, pairs for the others."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError, core_errors
from tunesmith.search.lists.matrix import Arrays


@dataclass(frozen=True, eq=False)
class PlainMatrix:
    """Arrays of a plain matrix (cpp/search/matrices/plain_matrix.hpp).

    dense_ids: the columns of the block `dense` (rows × their number), ascending. offsets, ids, values: the other
        columns as CSR, ids ascending in a row. Values are float32 if this keeps them exactly, otherwise float64.
    stated: columns that the list gave for every candidate, zeros included (dense features of a decoder),
        ascending; None if unknown. Dialects write them in every line.
    """

    columns: int
    dense_ids: NDArray[np.uint32]
    dense: NDArray[Any]
    offsets: NDArray[np.int64]
    ids: NDArray[np.uint32]
    values: NDArray[Any]
    stated: NDArray[np.uint32] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        stated = self.stated
        if stated is not None and not (
            stated.ndim == 1
            and np.all(stated[1:] > stated[:-1])
            and (stated.size == 0 or int(stated[-1]) < self.columns)
        ):
            raise ConfigError(f"stated columns must rise and be below {self.columns}")

    @classmethod
    def from_csr(cls, matrix: Any, stated: NDArray[np.uint32] | None = None) -> PlainMatrix:
        """Build from a scipy matrix or a dense array, rows are candidates; values are kept exactly."""
        offsets, ids, values, columns = csr_parts(matrix)
        with core_errors(None):
            return cls(columns, *_core.split_columns(columns, offsets, ids, values), stated=stated)

    @property
    def rows(self) -> int:
        return len(self.dense)

    @cached_property
    def native(self) -> _core.CandidateMatrix:
        with core_errors(None):
            return _core.plain_matrix(
                self.columns, self.dense_ids, self.dense, self.offsets, self.ids, self.values
            )

    def flat(self) -> Arrays:
        return self.arrays()

    def from_arrays(self, arrays: Arrays, columns: int) -> PlainMatrix:
        rows = (arrays[name] for name in self.arrays() if name != "stated_ids")
        return PlainMatrix(columns, *rows, stated=arrays.get("stated_ids"))

    def select(self, begin: int, end: int, first: int, last: int) -> PlainMatrix:
        at, stop = int(self.offsets[first]), int(self.offsets[last])
        return PlainMatrix(
            self.columns,
            self.dense_ids,
            self.dense[first:last],
            self.offsets[first : last + 1] - at,
            self.ids[at:stop],
            self.values[at:stop],
            stated=self.stated,
        )

    def stored_as(
        self,
        columns: int,
        column_map: NDArray[np.uint32] | None,
        dense_ids: NDArray[np.uint32],
        kind: Any,
        stated: NDArray[np.uint32] | None = None,
    ) -> PlainMatrix:
        """Return the rows with renumbered columns, this dense block, and values of this type."""
        if column_map is None and np.array_equal(dense_ids, self.dense_ids) and kind == self.dense.dtype:
            return PlainMatrix(columns, dense_ids, self.dense, self.offsets, self.ids, self.values, stated=stated)
        offsets, ids, values = self.native.list_rows(np.arange(self.rows))
        rows = np.repeat(np.arange(self.rows), np.diff(offsets))
        ids = ids if column_map is None else column_map[ids]
        place = np.full(columns, -1, dtype=np.int64)
        place[dense_ids] = np.arange(len(dense_ids))
        at = place[ids]
        dense = np.zeros((self.rows, len(dense_ids)), dtype=kind)
        dense[rows[at >= 0], at[at >= 0]] = values[at >= 0]
        rows, ids, values = rows[at < 0], ids[at < 0], values[at < 0].astype(kind)
        order = np.lexsort((ids, rows))
        offsets = np.zeros(self.rows + 1, dtype=np.int64)
        np.cumsum(np.bincount(rows, minlength=self.rows), out=offsets[1:])
        return PlainMatrix(columns, dense_ids, dense, offsets, ids[order], values[order], stated=stated)

    def arrays(self) -> Arrays:
        arrays: Arrays = {
            "dense_ids": self.dense_ids,
            "dense": self.dense,
            "sparse_offsets": self.offsets,
            "sparse_ids": self.ids,
            "sparse_values": self.values,
        }
        return arrays if self.stated is None else arrays | {"stated_ids": self.stated}


def csr_parts(matrix: Any) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.float64], int]:
    """Return offsets, ids, values and number of columns of a matrix, ids ascending in a row.

    matrix: a scipy matrix or a dense array, which is not changed; its memory is shared where possible.
    """
    from scipy import sparse

    csr = sparse.csr_matrix(matrix, dtype=np.float64)
    if not csr.has_canonical_format:
        csr = csr.copy()
        csr.sum_duplicates()
    ids = csr.indices.view(np.uint32) if csr.indices.dtype == np.int32 else csr.indices.astype(np.uint32)
    return csr.indptr.astype(np.int64), ids, csr.data, csr.shape[1]
