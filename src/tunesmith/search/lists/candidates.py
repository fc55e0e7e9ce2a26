"""Candidates of many sentences: features, words, statistics of a metric. What tuners work on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError, core_errors
from tunesmith.features.index import FeatureIndex
from tunesmith.features.matrix import FeatureMatrix
from tunesmith.io import StrPath
from tunesmith.io.mapped import release
from tunesmith.metrics.base import Prepared
from tunesmith.search.lists.matrix import Matrix
from tunesmith.search.lists.plain import PlainMatrix, csr_parts
from tunesmith.search.lists.words import WordLists

Floats = NDArray[np.float64]


class CandidateSet:
    """Sentence s has the candidates `offsets[s]` to `offsets[s + 1]`, none of them perhaps.

    The feature matrix X (candidates × features) is used through four operations, `scores` (X·w), `rows`, `combine`
    (Xᵀ·c) and `project` (X·P); how it is stored nobody needs to know. A set does not change: what looks like a
    change gives a new one that shares the arrays.

    features: the names of the columns; an index that grows while tuning may have more names than the set columns.
    statistics: a row per candidate of the metric that candidates are judged by, or None. Integers stay integers.
    words: what `text` reads, or None (some lists have features only).
    model_scores, rest: the scores that came with the candidates and what followed them in a file (alignments),
        or None; for writing them again, not for tuning.
    """

    def __init__(
        self,
        matrix: Matrix,
        offsets: ArrayLike,
        *,
        features: FeatureIndex | Iterable[str] | None = None,
        statistics: NDArray[Any] | None = None,
        words: WordLists | None = None,
        model_scores: Floats | None = None,
        rest: WordLists | None = None,
    ) -> None:
        self.matrix, self.columns = matrix, matrix.columns
        self.offsets = np.ascontiguousarray(offsets, dtype=np.int64)
        default_names = (f"feature{column}" for column in range(matrix.columns))
        self.features = index_of(default_names if features is None else features)
        self.statistics, self.words = statistics, words
        self.model_scores, self.rest = model_scores, rest
        self._check(shared=isinstance(features, FeatureIndex))

    @classmethod
    def from_matrix(
        cls,
        matrix: Any,
        offsets: ArrayLike,
        statistics: ArrayLike | None = None,
        texts: Sequence[str] | None = None,
        names: FeatureIndex | Iterable[str] | None = None,
    ) -> CandidateSet:
        """Return a set from a scipy matrix or a dense array (rows are candidates), and what is known besides.

        Values are kept exactly and must be finite. texts: the words of each candidate with blanks between.
        """
        return cls(
            PlainMatrix.from_csr(matrix),
            offsets,
            features=names,
            statistics=None if statistics is None else compact(np.asarray(statistics)),
            words=None if texts is None else WordLists.from_texts(texts),
        )

    def __len__(self) -> int:
        return self.matrix.rows

    @property
    def sentences(self) -> int:
        """The number of sentences, those without candidates included."""
        return len(self.offsets) - 1

    def __repr__(self) -> str:
        return f"CandidateSet of {len(self)} candidates for {self.sentences} sentences, {self.columns} features"

    @cached_property
    def native(self) -> _core.CandidateLists:
        """Matrix and offsets for kernels of the core (cpp/bind/search/candidates.hpp)."""
        return _core.CandidateLists(self.matrix.native, self.offsets)

    @cached_property
    def sentence_of(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(self.sentences), np.diff(self.offsets))

    def candidates_of(self, sentence: int) -> range:
        begin, end = self.offsets[sentence : sentence + 2].tolist()
        return range(begin, end)

    def scores(self, w: ArrayLike, *, threads: int = 1) -> Floats:
        """Return X·w, one score per candidate. `w` may be longer than the columns, as the index may be."""
        weights = np.ascontiguousarray(w, dtype=np.float64)
        if weights.ndim != 1 or len(weights) < self.columns:
            raise ConfigError(f"weights of shape {weights.shape} for {self.columns} features")
        return self.matrix.native.dots(weights, threads)

    def rows(self, indices: ArrayLike | None = None) -> Any:
        """Return the rows `indices`, or all of them, as a scipy CSR matrix of float64."""
        from scipy import sparse

        offsets, ids, values = self.row_arrays(np.arange(len(self)) if indices is None else indices)
        return sparse.csr_matrix((values, ids, offsets), shape=(len(offsets) - 1, self.columns))

    def row_arrays(self, indices: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.uint32], Floats]:
        """Return the rows `indices` as offsets, numbers of features and values: `rows` without scipy."""
        numbers = np.ascontiguousarray(indices, dtype=np.int64).reshape(-1)
        with core_errors(None):
            return self.matrix.native.list_rows(numbers)

    def combine(self, coefficients: ArrayLike, indices: ArrayLike | None = None) -> Floats:
        """Return Xᵀ·c as a dense vector: the sum of coefficient × row over all candidates, or over `indices`."""
        given = np.ascontiguousarray(coefficients, dtype=np.float64)
        numbers = None if indices is None else np.ascontiguousarray(indices, dtype=np.int64)
        with core_errors(None):
            return self.matrix.native.combine(given, numbers)

    def zero_columns(self, indices: ArrayLike | None = None) -> NDArray[np.int64]:
        """Find the columns that are 0 in all (or these) candidates: their sum with random factors is exactly 0."""
        rows = len(self) if indices is None else np.size(indices)
        coefficients = 1.0 + np.random.default_rng(1).random(rows)
        return np.flatnonzero(self.combine(coefficients, indices) == 0.0)

    def project(self, projection: Any, names: Iterable[str] | None = None) -> CandidateSet:
        """Return the set with the features X·P; P is a scipy matrix, features × groups."""
        offsets, ids, values, groups = csr_parts(projection)
        if len(offsets) - 1 != self.columns:
            raise ConfigError(f"the projection has {len(offsets) - 1} rows, there are {self.columns} features")
        with core_errors(None):
            arrays = self.matrix.native.project(groups, offsets, ids, values)
        return self.replaced(matrix=PlainMatrix(groups, *arrays), features=names)

    def text(self, candidate: int) -> str:
        return self._known_words.text(candidate)

    @property
    def _known_words(self) -> WordLists:
        if self.words is None:
            raise ConfigError("these candidates have no words, only features")
        return self.words

    def with_statistics(self, metric: Prepared | ArrayLike, *, first: int = 0, threads: int = 1) -> CandidateSet:
        """Return the candidates with other statistics: given ones, or of a prepared metric on their words.

        first: which of the metric's sentences the first one here is.
        """
        if isinstance(metric, Prepared):
            return self.replaced(statistics=self._measure(metric, first, threads))
        return self.replaced(statistics=compact(np.asarray(metric)))

    def _measure(self, metric: Prepared, first: int, threads: int) -> NDArray[Any]:
        block = 100_000  # rows of float64 that exist at once, and texts where the metric needs them
        rows = []
        for begin in range(0, len(self), block):
            words = self._known_words.select(begin, min(begin + block, len(self)))
            sentences = first + self.sentence_of[begin : begin + block]
            rows.append(compact(metric.statistics_of_words(words, sentences, threads=threads)))
        return np.concatenate(rows) if rows else np.empty((0, 0))

    def select(self, begin: int, end: int) -> CandidateSet:
        """Return the sentences from `begin` to `end` as a set, in the same memory."""
        if not 0 <= begin <= end <= self.sentences:
            raise ConfigError(f"sentences {begin} to {end} of {self.sentences}")
        first, last = self.offsets[[begin, end]].tolist()
        return CandidateSet(
            self.matrix.select(begin, end, first, last),
            self.offsets[begin : end + 1] - first,
            features=self.features,
            statistics=None if self.statistics is None else self.statistics[first:last],
            words=None if self.words is None else self.words.select(first, last),
            model_scores=None if self.model_scores is None else self.model_scores[first:last],
            rest=None if self.rest is None else self.rest.select(first, last),
        )

    def merge(
        self: CandidateSet | Sequence[CandidateSet],
        *others: CandidateSet,
        folder: StrPath | None = None,
        threads: int = 1,
    ) -> CandidateSet:
        """Join different candidates, `a.merge(b)` or `CandidateSet.merge([a, b])`; see `search.merging.merge`."""
        from tunesmith.search.lists.merging import merge

        sets = [self] if isinstance(self, CandidateSet) else list(self)
        return merge([*sets, *others], folder=folder, threads=threads)

    def take(self, indices: ArrayLike, offsets: ArrayLike) -> CandidateSet:
        """Take the candidates `indices`, in this order, with lists from `offsets`; see `search.taking.take`."""
        from tunesmith.search.lists.taking import take

        return take(self, np.ascontiguousarray(indices, dtype=np.int64), np.ascontiguousarray(offsets, np.int64))

    @classmethod
    def from_records(cls, records: Any) -> CandidateSet:
        """Return candidates from dictionaries or a table of pandas; see `search.records.from_records`."""
        from tunesmith.search.lists.records import from_records

        return from_records(records)

    def to_pandas(self) -> Any:
        """Return a DataFrame with a row for each candidate: `id`, `hypothesis`, `score` and features."""
        from tunesmith.search.lists.records import to_pandas

        return to_pandas(self)

    def save(self, folder: StrPath) -> None:
        """Write the set to a folder, all or nothing."""
        from tunesmith.search.lists.candidate_folder import save

        save(self, folder)

    @classmethod
    def load(cls, folder: StrPath, rule_features: FeatureMatrix | None = None) -> CandidateSet:
        """Open what `save` wrote. Arrays are read once to be checked, and stay on disk.

        rule_features: F of the model, for candidates of a decoder; names of stateful features that its index does
        not have yet are added to it.
        """
        from tunesmith.search.lists.candidate_folder import load

        return load(folder, rule_features)

    def release(self) -> None:
        """Give back the memory of what lies in files, or can be computed again where it is needed."""
        from tunesmith.search.lists.arrays import arrays_of

        self.__dict__.pop("sentence_of", None)
        for array in arrays_of(self).values():
            release(array)

    def replaced(self, **changed: Any) -> CandidateSet:
        """Return the candidates with some arguments of the constructor replaced; `offsets` do not change."""
        fields: dict[str, Any] = {
            "matrix": self.matrix,
            "features": self.features,
            "statistics": self.statistics,
            "words": self.words,
            "model_scores": self.model_scores,
            "rest": self.rest,
        } | changed
        return CandidateSet(fields.pop("matrix"), self.offsets, **fields)

    def _check(self, *, shared: bool) -> None:
        size = self.matrix.rows
        if self.offsets.ndim != 1 or len(self.offsets) == 0:
            raise ConfigError("offsets of sentences must be a list that begins with 0")
        with core_errors(None):
            _ = self.native
        if len(self.features) < self.columns or not (shared or len(self.features) == self.columns):
            raise ConfigError(f"{len(self.features)} different names for {self.columns} features")
        for what, given in (("statistics", self.statistics), ("model scores", self.model_scores)):
            if given is not None and len(given) != size:
                raise ConfigError(f"{len(given)} rows of {what} for {size} candidates")
        if self.statistics is not None and self.statistics.ndim != 2:
            raise ConfigError(f"statistics must have two dimensions, got {self.statistics.ndim}")
        for lists in (self.words, self.rest):
            if lists is not None and len(lists) != size:
                raise ConfigError(f"words of {len(lists)} candidates for {size}")


def index_of(names: FeatureIndex | Iterable[str]) -> FeatureIndex:
    """Return names as an index; one that is given stays the same object."""
    return names if isinstance(names, FeatureIndex) else FeatureIndex(names)


def compact(statistics: NDArray[Any]) -> NDArray[Any]:
    """Return the same numbers as int32 where they are whole and small enough, otherwise as float64."""
    if statistics.dtype == np.int32:
        return np.ascontiguousarray(statistics)
    if statistics.dtype.kind not in "iuf":
        raise ConfigError(f"statistics must be numbers, got {statistics.dtype}")
    if statistics.size == 0:
        return statistics.astype(np.int32)
    if not np.all(np.isfinite(statistics)):
        raise ConfigError("statistics must be finite")
    if np.abs(statistics).max() < 2**31 and np.all(statistics == np.floor(statistics)):
        return statistics.astype(np.int32)
    return statistics.astype(np.float64)
