"""Candidates of our decoders: rules used (D) and stateful features (s). X = D·F + s is never multiplied out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError, core_errors
from tunesmith.features.matrix import FeatureMatrix
from tunesmith.search.lists.matrix import Arrays

Offsets = NDArray[np.int64]
Ids = NDArray[np.uint32]
_SMALL = 2**16  # places below this limit fit into two bytes


@dataclass(frozen=True, eq=False)
class FactoredMatrix:
    """Arrays of a factored matrix (cpp/search/matrices/factored_matrix.hpp).

    rule_features: F, shared by all sets of a model.
    columns: those of F, then stateful features. sentences: offsets of candidates.
    list_offsets, list: the distinct rules of each sentence. rule_offsets, places: for each candidate the places of
        its rules in that list, one for each use. state_ids, states: stateful features every candidate has.
    pair_offsets, pair_ids, pair_values: the others.
    """

    rule_features: FeatureMatrix
    columns: int
    sentences: Offsets
    list_offsets: Offsets
    list: Ids
    rule_offsets: Offsets
    places: NDArray[Any]
    state_ids: Ids
    states: NDArray[np.float32]
    pair_offsets: Offsets
    pair_ids: Ids
    pair_values: NDArray[np.float32]

    @classmethod
    def from_rules(
        cls,
        rule_features: FeatureMatrix,
        sentences: ArrayLike,
        rule_offsets: ArrayLike,
        rules: ArrayLike,
        state_ids: ArrayLike,
        states: ArrayLike,
        pairs: tuple[ArrayLike, ArrayLike, ArrayLike] | None = None,
        *,
        columns: int | None = None,
    ) -> FactoredMatrix:
        """Build the matrix from rules: candidate c uses `rules[rule_offsets[c]:rule_offsets[c + 1]]`.

        A rule is repeated for each use.

        pairs: offsets, ids and values of sparse stateful features, ids ascending within a candidate.
        columns: by default all names of F's index.
        """
        offsets = np.ascontiguousarray(rule_offsets, dtype=np.int64)
        cuts = np.ascontiguousarray(sentences, dtype=np.int64)
        numbers = np.ascontiguousarray(rules, dtype=np.uint32)
        with core_errors(None):
            list_offsets, different, places, longest = _core.place_rules(cuts, offsets, numbers)
        given = pairs or (np.zeros(len(offsets), np.int64), np.empty(0, np.uint32), np.empty(0, np.float32))
        return cls(
            rule_features,
            len(rule_features.index) if columns is None else columns,
            cuts,
            list_offsets,
            different,
            offsets,
            places.astype(np.uint16) if longest <= _SMALL else places,
            np.ascontiguousarray(state_ids, dtype=np.uint32),
            np.ascontiguousarray(states, dtype=np.float32),
            np.ascontiguousarray(given[0], dtype=np.int64),
            np.ascontiguousarray(given[1], dtype=np.uint32),
            np.ascontiguousarray(given[2], dtype=np.float32),
        )

    @property
    def rows(self) -> int:
        return len(self.rule_offsets) - 1

    @cached_property
    def native(self) -> _core.CandidateMatrix:
        with core_errors(None):
            return _core.factored_matrix(
                self.rule_features.native,
                self.columns,
                self.sentences,
                self.list_offsets,
                self.list,
                self.rule_offsets,
                self.places,
                self.state_ids,
                self.states,
                self.pair_offsets,
                self.pair_ids,
                self.pair_values,
            )

    @property
    def rules(self) -> Ids:
        """Rules of all candidates, concatenated, with `rule_offsets` between them."""
        entries = np.diff(self.rule_offsets[self.sentences])
        begins: Offsets = np.repeat(self.list_offsets[:-1], entries)
        return self.list[begins + self.places]  # type: ignore[no-any-return]

    def arrays(self) -> Arrays:
        return {"rule_list_offsets": self.list_offsets, "rule_list": self.list, "rule_offsets": self.rule_offsets,
                "rule_places": self.places, **self._states()}  # fmt: skip

    def flat(self) -> Arrays:
        """Return the arrays with rules instead of places in the lists of sentences."""
        return {"rule_offsets": self.rule_offsets, "rules": self.rules, **self._states()}

    def _states(self) -> Arrays:
        return {"state_ids": self.state_ids, "states": self.states, "state_offsets": self.pair_offsets,
                "state_pair_ids": self.pair_ids, "state_pair_values": self.pair_values}  # fmt: skip

    def from_arrays(self, arrays: Arrays, columns: int) -> FactoredMatrix:
        offsets, state_ids, states = (arrays[name] for name in ("offsets", "state_ids", "states"))
        pairs = (arrays["state_offsets"], arrays["state_pair_ids"], arrays["state_pair_values"])
        if "rules" in arrays:
            rules = (arrays["rule_offsets"], arrays["rules"])
            return self.from_rules(self.rule_features, offsets, *rules, state_ids, states, pairs, columns=columns)
        lists = (arrays["rule_list_offsets"], arrays["rule_list"], arrays["rule_offsets"], arrays["rule_places"])
        return FactoredMatrix(self.rule_features, columns, offsets, *lists, state_ids, states, *pairs)

    def select(self, begin: int, end: int, first: int, last: int) -> FactoredMatrix:
        lists = _cut(self.list_offsets, begin, end)
        rules, pairs = _cut(self.rule_offsets, first, last), _cut(self.pair_offsets, first, last)
        return FactoredMatrix(
            self.rule_features,
            self.columns,
            self.sentences[begin : end + 1] - first,
            lists[0],
            self.list[lists[1]],
            rules[0],
            self.places[rules[1]],
            self.state_ids,
            self.states[first:last],
            pairs[0],
            self.pair_ids[pairs[1]],
            self.pair_values[pairs[1]],
        )

    def renumbered(self, rule_features: FeatureMatrix, columns: int, numbers: Ids | None) -> FactoredMatrix:
        """Return the rows over an equal F, with these numbers of stateful features."""
        if numbers is None:
            return replace(self, rule_features=rule_features, columns=columns)
        state_ids, pair_ids = numbers[self.state_ids], numbers[self.pair_ids]
        by_id = np.argsort(state_ids)
        rows = np.repeat(np.arange(self.rows), np.diff(self.pair_offsets))
        order = np.lexsort((pair_ids, rows))
        return replace(
            self, rule_features=rule_features, columns=columns,
            state_ids=state_ids[by_id], states=np.ascontiguousarray(self.states[:, by_id]),
            pair_ids=pair_ids[order], pair_values=self.pair_values[order],
        )  # fmt: skip

    def fitted(self, columns: int, state_ids: Ids) -> FactoredMatrix:
        """Return the rows with these stateful features as the block; they must include the present ones."""
        if columns == self.columns and np.array_equal(state_ids, self.state_ids):
            return self
        at = np.searchsorted(state_ids, self.state_ids)
        if not np.isin(self.state_ids, state_ids).all():
            raise ConfigError("candidate sets with different stateful features cannot be joined")
        states = np.zeros((self.rows, len(state_ids)), dtype=np.float32)
        states[:, at] = self.states
        arrays = {"offsets": self.sentences, **self.arrays(), "state_ids": state_ids, "states": states}
        return self.from_arrays(arrays, columns)


def _cut(offsets: Offsets, begin: int, end: int) -> tuple[Offsets, slice]:
    first, last = int(offsets[begin]), int(offsets[end])
    return offsets[begin : end + 1] - first, slice(first, last)
