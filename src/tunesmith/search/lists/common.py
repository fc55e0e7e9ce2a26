"""What sets must have in common to become one: features, layout, vocabulary, kind of statistics."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.features.index import FeatureIndex
from tunesmith.features.matrix import FeatureMatrix
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.factored import FactoredMatrix
from tunesmith.search.lists.matrix import Matrix
from tunesmith.search.lists.plain import PlainMatrix
from tunesmith.search.lists.words import WordLists

_LATELY = 64  # sets that are merged have their vocabularies in turn
Numbers = NDArray[np.uint32] | None
"""The new number of each entry, or None where all keep theirs."""


class Common:
    """The common form of some sets. That of the first one is kept, others are made to fit.

    Features and words get numbers in the order they come; new ones may come with every set. A block of dense
    columns is that of the first set that has candidates; columns are stated that all sets known beforehand
    state. Values and statistics have the widest type so far.
    """

    def __init__(self, sets: Iterable[CandidateSet]) -> None:
        given = list(sets)
        if not given:
            raise ConfigError("there are no candidate sets")
        self._features = _FeatureUnion()
        self._vocabulary, self._rest_vocabulary = _WordUnion(), _WordUnion()
        self._with_words = given[0].words is not None
        self._with_statistics = given[0].statistics is not None
        self._with_scores = all(one.model_scores is not None for one in given)
        self._with_rest = self._with_scores and all(one.rest is not None for one in given)
        full = [one for one in given if len(one)] or given
        self._value_type: Any = None
        self._statistics_type: Any = None
        self._width: int | None = None
        for one in given:
            self._admit(one)
        like, numbers = full[0].matrix, self._features.add(full[0])
        assert isinstance(like, FactoredMatrix | PlainMatrix)
        block = like.state_ids if isinstance(like, FactoredMatrix) else like.dense_ids
        self._block = block if numbers is None else np.sort(numbers[block])
        self._stated = self._stated_by_all(full)

    def fit(self, candidates: CandidateSet) -> CandidateSet:
        """Return the set in the common form; arrays that fit already are shared."""
        numbers = self._admit(candidates)
        statistics = candidates.statistics
        return CandidateSet(
            self._fit_matrix(candidates.matrix, numbers),
            candidates.offsets,
            features=self._features.index,
            statistics=None if statistics is None else statistics.astype(self._statistics_type, copy=False),
            words=_renumbered(candidates.words, self._vocabulary),
            model_scores=candidates.model_scores if self._with_scores else None,
            rest=_renumbered(candidates.rest, self._rest_vocabulary) if self._with_rest else None,
        )

    def _admit(self, one: CandidateSet) -> Numbers:
        """Check a set, extend the common form by what it brings; the new numbers of its columns."""
        for what, have, expected in (
            ("words", one.words is not None, self._with_words),
            ("statistics", one.statistics is not None, self._with_statistics),
        ):
            if have != expected:
                raise ConfigError(f"some candidate sets have {what}, others have none; they cannot become one")
        if one.words is not None:
            self._vocabulary.add(one.words.vocabulary)
        if one.rest is not None:
            self._rest_vocabulary.add(one.rest.vocabulary)
        if len(one) and one.statistics is not None:
            width = one.statistics.shape[1]
            if self._width not in (None, width):
                raise ConfigError(f"statistics with {self._width} and {width} numbers; are they of one metric?")
            self._width = width
            self._statistics_type = _wider(one.statistics.dtype, self._statistics_type)
        elif self._statistics_type is None and one.statistics is not None:
            self._statistics_type = one.statistics.dtype
        if isinstance(one.matrix, PlainMatrix):
            self._value_type = _wider(one.matrix.dense.dtype, self._value_type)
        return self._features.add(one)

    def _stated_by_all(self, sets: Sequence[CandidateSet]) -> NDArray[np.uint32] | None:
        found: NDArray[np.uint32] | None = None
        for one in sets:
            numbers = self._features.add(one)
            stated = one.matrix.stated if isinstance(one.matrix, PlainMatrix) else None
            if stated is None:
                return None
            own = stated if numbers is None else np.sort(numbers[stated])
            found = own if found is None else np.intersect1d(found, own)
        return found

    def _fit_matrix(self, matrix: Matrix, numbers: Numbers) -> Matrix:
        columns, rules = self._features.columns, self._features.rules
        if isinstance(matrix, PlainMatrix):
            return matrix.stored_as(columns, numbers, self._block, self._value_type, self._stated)
        assert isinstance(matrix, FactoredMatrix)
        assert rules is not None
        if matrix.rule_features is not rules:  # the same model, opened twice
            matrix = matrix.renumbered(rules, columns, numbers)
        return matrix.fitted(columns, self._block)


class _FeatureUnion:
    """One index for the features of all sets: the first one's, or a copy of it that has grown.

    That of a decoder is grown itself: it has the names of all its rules, which nobody copies.
    """

    def __init__(self) -> None:
        self.index = FeatureIndex()
        self.columns = 0
        self._seen: list[tuple[FeatureIndex, int, Numbers]] = []  # with the length when it was read
        self._own = False
        self.rules: FeatureMatrix | None = None  # of the first set
        self._models: list[tuple[FeatureMatrix, int, Numbers]] = []  # others that are equal

    def add(self, one: CandidateSet) -> Numbers:
        numbers = self._numbers(one)
        # An index may have more names than a set columns: it grows while tuning.
        self.columns = max(self.columns, one.columns if numbers is None else len(self.index))
        return numbers

    def _numbers(self, one: CandidateSet) -> Numbers:
        names = one.features
        rules = one.matrix.rule_features if isinstance(one.matrix, FactoredMatrix) else None
        if not self._seen:
            self.index = names
            self._seen.append((names, len(names), None))
            self.rules = rules
        if (rules is None) != (self.rules is None):
            raise ConfigError("candidates of a decoder and candidates of a file cannot become one")
        if rules is not None and self.rules is not None and rules is not self.rules:
            return self._numbers_of_model(rules, self.rules, names)
        if names is self.index:
            return None
        for index, size, numbers in self._seen:
            if index is names and size >= one.columns:
                return numbers
        size, numbers = len(names), self._look_up(names)
        self._seen.append((names, size, numbers))
        return numbers

    def _numbers_of_model(self, rules: FeatureMatrix, first: FeatureMatrix, names: FeatureIndex) -> Numbers:
        """Renumber features: those of rules keep their numbers in every opening of a model, others may not."""
        before = [(size, numbers) for known, size, numbers in self._models if known is rules]
        if before and before[-1][0] == len(names):
            return before[-1][1]
        if not before and not rules.same(first):
            raise ConfigError("candidate sets of different models cannot become one: their rules differ")
        numbers = np.arange(len(names), dtype=np.uint32)
        for number in range(rules.columns, len(names)):
            numbers[number] = self.index.add(names.name(number))
        self._models.append((rules, len(names), numbers))
        return numbers

    def _look_up(self, names: FeatureIndex) -> Numbers:
        found = []
        for name in names:
            number = self.index.find(name)
            if number is None:
                if not self._own:
                    self.index, self._own = FeatureIndex(self.index), True
                number = self.index.add(name)
            found.append(number)
        return _unless_same(found)


class _WordUnion:
    """Words of several vocabularies; one that was seen lately is not read again unless it has grown.

    Lists of a million sentences come with thousands of vocabularies, which must not all be kept.
    """

    def __init__(self) -> None:
        self.words: Sequence[str] = []
        self._number: dict[str, int] = {}
        self._seen: deque[tuple[Sequence[str], int, Numbers]] = deque(maxlen=_LATELY)
        self._empty = True

    def add(self, words: Sequence[str]) -> Numbers:
        if self._empty:
            self.words, self._empty = words, False
        if words is self.words:
            return None
        for known, size, numbers in self._seen:
            if known is words and size == len(words):
                return numbers
        if not self._number:
            self._number = {word: number for number, word in enumerate(self.words)}
        number = self._number
        numbers = _unless_same([number.setdefault(word, len(number)) for word in words])
        if len(number) > len(self.words):
            self.words = list(number)
        self._seen.append((words, len(words), numbers))
        return numbers


def _unless_same(numbers: list[int]) -> Numbers:
    new = np.array(numbers, dtype=np.uint32)
    return None if np.array_equal(new, np.arange(len(new))) else new


def _renumbered(lists: WordLists | None, union: _WordUnion) -> WordLists | None:
    if lists is None:
        return None
    numbers = union.add(lists.vocabulary)
    return WordLists(union.words, lists.ids if numbers is None else numbers[lists.ids], lists.offsets)


def _wider(kind: Any, other: Any) -> Any:
    return kind if other is None else np.result_type(kind, other)
