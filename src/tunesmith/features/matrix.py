"""F, the features of every rule of a model, with the names of its columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.features.base import SpecialRule
from tunesmith.features.index import FeatureIndex

Floats = NDArray[np.float64]


class FeatureMatrix:
    """One row per rule of a table, then one for each `SpecialRule`; one column per feature. Read-only.

    A candidate that uses rule r n_r times has the rule-local features Σ n_r F[r]; the search reads F·w. Decoders
    and candidate sets use `native`, where the rows live (cpp/features/feature_matrix.hpp); here they can be looked
    at. `index` holds the names of the columns; features of the search follow them.
    """

    def __init__(
        self, native: _core.FeatureMatrix, index: FeatureIndex, seconds: Mapping[str, float] | None = None
    ) -> None:
        self.native, self.index = native, index
        self.rows = native.rows
        """Rules of the table and special ones."""
        self.columns = native.columns
        """Features of rules; the index may hold more names than these."""
        self.table_rules = native.rows - len(SpecialRule)
        self.seconds = dict(seconds or {})
        """What each template written in Python took, by its name."""

    @property
    def id_columns(self) -> range:
        """The columns of the `id` features: that of rule r is number r of the range. Empty without `id`."""
        return range(self.columns - self.native.identity_rows, self.columns)

    def __repr__(self) -> str:
        return f"FeatureMatrix of {self.rows} rules and {self.columns} features"

    def same(self, other: FeatureMatrix) -> bool:
        """Return whether both hold the same features of the same rules: values and names of all columns."""
        if self is other:
            return True
        names = (map(one.index.name, range(one.columns)) for one in (self, other))
        return self.native.same(other.native) and all(a == b for a, b in zip(*names, strict=True))

    def with_own_index(self) -> FeatureMatrix | None:
        """Return the same rows with an index of their own that holds the columns and no features of the search.

        None with `id` features, whose names only the index of the compiled table knows.
        """
        if self.id_columns:
            return None
        index = FeatureIndex(self.index.name(column) for column in range(self.columns))
        return FeatureMatrix(self.native, index, self.seconds)

    def special(self, rule: SpecialRule) -> int:
        """Return the row of a rule that every sentence has."""
        return self.table_rules + int(rule)

    def scores(self, weights: ArrayLike, rows: ArrayLike | None = None, *, threads: int = 1) -> Floats:
        """Return F·w for all or some rows. `weights` may be longer than the columns (features of the search)."""
        w = self._weights(weights)
        if rows is None:
            return self.native.scores(w, threads)
        return self.native.scores_of(self._rows(rows), w)

    def row(self, row: int) -> Iterator[tuple[int, float]]:
        """Return number and value of the features of a rule that are not zero; numbers rise."""
        if not 0 <= row < self.rows:
            raise IndexError(f"rule {row} of {self.rows}")
        ids, values = self.native.row(row)
        return zip(ids.tolist(), values.tolist(), strict=True)

    def named_row(self, row: int) -> dict[str, float]:
        return {self.index.name(id): value for id, value in self.row(row)}

    def combine(self, rows: ArrayLike, coefficients: ArrayLike) -> Floats:
        """Return Σ coefficient × row: the features of a candidate that uses these rules that often."""
        chosen = self._rows(rows)
        factors = np.ascontiguousarray(coefficients, dtype=np.float64)
        if factors.shape != chosen.shape:
            raise ConfigError(f"{factors.shape} coefficients for {chosen.shape} rows")
        return self.native.combine(chosen, factors)

    def _weights(self, weights: ArrayLike) -> Floats:
        w = np.ascontiguousarray(weights, dtype=np.float64)
        if w.ndim != 1 or len(w) < self.columns:
            raise ConfigError(f"weights of shape {w.shape} for {self.columns} features")
        return w

    def _rows(self, rows: ArrayLike) -> NDArray[np.uint32]:
        wide = np.asarray(rows)
        if wide.ndim != 1 or (wide.size and not (wide.min() >= 0 and wide.max() < self.rows)):
            raise ConfigError(f"rows must be a list of numbers from 0 to {self.rows - 1}")
        return np.ascontiguousarray(wide, dtype=np.uint32)
