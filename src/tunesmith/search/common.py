"""What sets must have in common to become one: names of features, layout, vocabulary, kind of statistics."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.plain import PlainMatrix
from tunesmith.search.words import WordLists


class Union:
    """Names from several lists, numbered in the order they come; a list once seen is not read again."""

    def __init__(self) -> None:
        self.names: Sequence[str] = []
        self._number: dict[str, int] | None = None
        self._seen: list[tuple[Sequence[str], NDArray[np.uint32] | None]] = []

    def add(self, names: Sequence[str]) -> NDArray[np.uint32] | None:
        """The number of each name in the union, or None where they keep their own."""
        for known, numbers in self._seen:
            if known is names:
                return numbers
        numbers = self._numbers(names)
        self._seen.append((names, numbers))
        return numbers

    def _numbers(self, names: Sequence[str]) -> NDArray[np.uint32] | None:
        if not self._seen:
            self.names = names
            return None
        if self._number is None:
            if len(names) == len(self.names) and all(map(str.__eq__, names, self.names)):
                return None
            self._number = {name: number for number, name in enumerate(self.names)}
        number = self._number
        numbers = np.array([number.setdefault(name, len(number)) for name in names], dtype=np.uint32)
        self.names = list(number)
        return None if np.array_equal(numbers, np.arange(len(numbers))) else numbers


class Common:
    """The common form of some sets. Those of the first one are kept, others are made to fit.

    A block of dense columns is that of the first set that has candidates. Values are float64 if one set has such.
    """

    def __init__(self, sets: Iterable[CandidateSet]) -> None:
        self.features, self.vocabulary, self.rest_vocabulary = Union(), Union(), Union()
        given = list(sets)
        if not given:
            raise ConfigError("there are no candidate sets")
        for what in ("words", "statistics"):
            have = [getattr(one, what) is not None for one in given]
            if any(have) != all(have):
                raise ConfigError(f"some of the candidate sets have {what}, others have none; they cannot be merged")
        self.with_words = given[0].words is not None
        self.with_scores = all(one.model_scores is not None for one in given)
        self.with_rest = all(one.rest is not None for one in given)
        for one in given:
            self.features.add(one.features)
            if one.words is not None:
                self.vocabulary.add(one.words.vocabulary)
            if one.rest is not None:
                self.rest_vocabulary.add(one.rest.vocabulary)
        plain = [one.matrix for one in given if isinstance(one.matrix, PlainMatrix)]
        full = [matrix for matrix in plain if matrix.rows] or plain
        self._dense_ids = full[0].dense_ids
        self._kind: Any = np.result_type(*(matrix.dense.dtype for matrix in full))
        self._statistics = self._common_statistics(given)

    def column_map(self, candidates: CandidateSet) -> NDArray[np.uint32] | None:
        """The new number of each column of a set, None where they stay."""
        return self.features.add(candidates.features)

    def fit(self, candidates: CandidateSet) -> CandidateSet:
        """The set in the common form; arrays that fit already are shared."""
        matrix = candidates.matrix
        assert isinstance(matrix, PlainMatrix)
        self._check(candidates)
        column_map = self.column_map(candidates)
        return CandidateSet(
            matrix.stored_as(len(self.features.names), column_map, self._dense_ids, self._kind),
            candidates.offsets,
            features=self.features.names,
            statistics=None if self._statistics is None else np.asarray(candidates.statistics, self._statistics),
            words=self._words(candidates.words, self.vocabulary),
            model_scores=candidates.model_scores if self.with_scores else None,
            rest=self._words(candidates.rest, self.rest_vocabulary) if self.with_rest else None,
        )

    def _check(self, candidates: CandidateSet) -> None:
        """Sets that were not known at the start, given one after the other."""
        if (candidates.statistics is None) != (self._statistics is None):
            raise ConfigError("some of the candidate sets have statistics, others have none; they cannot be joined")
        if (candidates.words is None) == self.with_words:
            raise ConfigError("some of the candidate sets have words, others have none; they cannot be joined")
        kinds = [("features", matrix.dense.dtype, self._kind)] if isinstance(matrix := candidates.matrix, PlainMatrix) else []
        if candidates.statistics is not None:
            kinds.append(("statistics", candidates.statistics.dtype, self._statistics))
        for what, kind, expected in kinds:
            if len(candidates) and np.result_type(kind, expected) != expected:
                raise ConfigError(f"{what} of type {kind} do not fit those before, which have type {expected}")

    def _words(self, lists: WordLists | None, vocabulary: Union) -> WordLists | None:
        if lists is None:
            return None
        numbers = vocabulary.add(lists.vocabulary)
        return WordLists(vocabulary.names, lists.ids if numbers is None else numbers[lists.ids], lists.offsets)

    def _common_statistics(self, sets: list[CandidateSet]) -> Any:
        given = [one.statistics for one in sets if one.statistics is not None and len(one)]
        if not given:
            return None if sets[0].statistics is None else sets[0].statistics.dtype
        widths = {statistics.shape[1] for statistics in given}
        if len(widths) > 1:
            raise ConfigError(f"statistics have {' and '.join(map(str, sorted(widths)))} columns; are they of one metric?")
        return np.result_type(*(statistics.dtype for statistics in given))
