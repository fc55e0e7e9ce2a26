"""Ranked pairs as sparse differences of features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunesmith import _core
from tunesmith.checks import within
from tunesmith.errors import ConfigError
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.tuning.objectives import Objective

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Differences:
    """Feature differences, better minus worse, of every pair: penalised columns sparse, the others dense.

    Pair i has the entries offsets[i] to offsets[i + 1] of `ids` and `values`, and row i of `dense`.

    ids: places in `penalised`, ascending within a pair, so that no memory grows with the number of features.
        values: single precision; counts of rules are exact. penalised: the columns (ascending) of those penalised
        features that occur in a pair. unpenalised: the columns of `dense`: every feature that is not penalised.
        columns: the features of the model.
    dimension: number of penalised features, including those that do not occur.
    """

    offsets: NDArray[np.int64]
    ids: NDArray[np.uint32]
    values: NDArray[np.float32]
    dense: Floats
    penalised: NDArray[np.int64]
    unpenalised: NDArray[np.int64]
    columns: int
    dimension: int

    def __post_init__(self) -> None:
        for name, kind in (
            ("offsets", np.int64),
            ("ids", np.uint32),
            ("values", np.float32),
            ("dense", np.float64),
        ):
            array = np.ascontiguousarray(getattr(self, name), dtype=kind).view()
            array.flags.writeable = False  # the core checks every number
            object.__setattr__(self, name, array)
        for name in ("penalised", "unpenalised"):
            given = np.asarray(getattr(self, name), dtype=np.int64)
            object.__setattr__(self, name, given)
            if given.size and (given.min() < 0 or given.max() >= self.columns or np.any(np.diff(given) <= 0)):
                raise ConfigError(f"{name} columns must ascend from 0 to {self.columns - 1}")
        if self.dense.shape != (len(self), len(self.unpenalised)):
            raise ConfigError(
                f"dense values of shape {self.dense.shape} for {len(self)} pairs and {len(self.unpenalised)} "
                "features without penalty"
            )
        within(len(self.penalised), self.columns - len(self.unpenalised), dimension=self.dimension)
        _ = self.native  # checks every number

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"Differences of {len(self)} pairs, {len(self.penalised)} of {self.dimension} penalised features"

    @classmethod
    def from_pairs(
        cls,
        candidates: CandidateSet,
        better: ArrayLike,
        worse: ArrayLike,
        penalised_columns: ArrayLike,
        *,
        threads: int = 1,
    ) -> Differences:
        """Subtract candidates.   penalised_columns: numbers of columns, or a truth value for each column."""
        wanted = np.asarray(penalised_columns)
        if wanted.dtype == np.bool_:
            if wanted.shape != (candidates.columns,):
                raise ConfigError(f"{wanted.shape} truth values for {candidates.columns} features")
            wanted = np.flatnonzero(wanted)
        wanted = np.unique(wanted.astype(np.int64))
        try:
            offsets, ids, values, dense, penalised, unpenalised = _core.pair_differences(
                candidates.native,
                np.ascontiguousarray(better, dtype=np.int64),
                np.ascontiguousarray(worse, dtype=np.int64),
                wanted,
                threads,
            )
        except ValueError as error:
            raise ConfigError(str(error)) from None
        of_ids, of_dense = penalised.astype(np.int64), unpenalised.astype(np.int64)
        return cls(offsets, ids, values, dense, of_ids, of_dense, candidates.columns, len(wanted))

    @cached_property
    def native(self) -> _core.Differences:
        """Arrays for kernels of the core (cpp/tuning/online/differences.hpp), checked."""
        try:
            return _core.Differences(self.offsets, self.ids, self.values, self.dense, len(self.penalised))
        except ValueError as error:
            raise ConfigError(str(error)) from None

    def margins(self, weights: Floats, *, threads: int = 1) -> Floats:
        """Compute difference · weights of every pair; `weights` has one number for every feature of the model."""
        if weights.shape != (self.columns,):
            raise ConfigError(f"{weights.shape} weights for {self.columns} features")
        return self.native.margins(weights[self.penalised], weights[self.unpenalised], threads)

    def hinge(self, weights: Floats, *, threads: int = 1) -> float:
        """Compute the mean of max(0, 1 - margin) over the pairs (Liu et al. 2013, Eq. 1)."""
        return float(np.maximum(0.0, 1.0 - self.margins(weights, threads=threads)).mean())


@runtime_checkable
class Ranked(Objective, Protocol):
    """An objective of ranked pairs with equal weights."""

    def pairs(self, penalised_columns: NDArray[np.int64], *, threads: int = 1) -> Differences:
        """Return the pairs as sparse differences, for learners that process them one by one."""
