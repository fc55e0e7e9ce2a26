"""Losses of candidate lists as sums over sentences: ranked pairs, and expected gains."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.execution import Packet
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.search.lists.factored import FactoredMatrix
from tunesmith.search.lists.plain import PlainMatrix
from tunesmith.tuning.sums.terms import Answer, Asked, Floats, Integers, Part, Terms

GRADIENT = "gradient"
"""Kind of request: the sum of a loss at the weights `w`, and the sum of its gradient."""
Arrays = dict[str, NDArray[Any]]

_FACTORED = (
    *("rule_list_offsets", "rule_list", "rule_offsets", "rule_places", "state_ids", "states"),
    *("state_offsets", "state_pair_ids", "state_pair_values"),
)
_PLAIN = ("dense_ids", "dense", "sparse_offsets", "sparse_ids", "sparse_values")
_RULES = ("rule_starts", "rule_ids", "rule_values")


class _Lists(Terms):
    """Lists, with all of their features or with those of a part.   first: the first candidate, in a larger set."""

    def __init__(self, lists: _core.CandidateLists, sentences: int, columns: int) -> None:
        self.lists, self._sentences, self.columns = lists, sentences, columns

    def __len__(self) -> int:
        return self._sentences

    @property
    def a_block(self) -> int:
        return _core.sentences_a_block(self._sentences)


class RankedTerms(_Lists):
    """Losses of ranked pairs, each as often as it counts; sentence by sentence.

    candidates: None for a part that came from another process.
    """

    kind = "ranked pairs"

    def __init__(
        self,
        native: _core.PairLoss,
        lists: _core.CandidateLists,
        sentences: int,
        columns: int,
        describe: tuple[CandidateSet, Integers, Integers, Floats | None, dict[str, Any]] | None = None,
    ) -> None:
        super().__init__(lists, sentences, columns)
        self._native, self._described = native, describe

    def answer(self, asked: Asked, a_block: int, threads: int) -> Answer:
        value, gradient = self._native.sums(np.ascontiguousarray(asked.vectors["w"]), a_block, threads)
        return Answer(np.array([value]), gradient)

    def part(self, begin: int, end: int) -> Part:
        assert self._described is not None
        candidates, better, worse, weights, settings = self._described
        first, last = candidates.offsets[[begin, end]].tolist()
        at = slice(*np.searchsorted(better, [first, last]).tolist())
        columns, arrays = packed_lists(candidates.select(begin, end))
        arrays |= {"better": better[at] - first, "worse": worse[at] - first}
        if weights is not None:
            arrays["weights"] = weights[at]
        return Part(columns, Packet({"kind": self.kind, "columns": len(columns), **settings}, arrays))

    @classmethod
    def of_part(cls, packet: Packet) -> RankedTerms:
        values, arrays = packet
        lists = lists_of(packet)
        counts = arrays.get("weights", np.empty(0))
        kind = getattr(_core.PairLossKind, values["classifier"])
        native = _core.PairLoss(lists, arrays["better"], arrays["worse"], counts, kind, values["smoothing"])
        return cls(native, lists, len(arrays["offsets"]) - 1, values["columns"])


class GainTerms(_Lists):
    """Risks of sentences.   candidates: None for a part that came from another process."""

    kind = "expected gains"

    def __init__(
        self,
        lists: _core.CandidateLists,
        sentences: int,
        columns: int,
        gains: Floats,
        scale: float,
        entropy: float,
        candidates: CandidateSet | None = None,
    ) -> None:
        super().__init__(lists, sentences, columns)
        self._gains, self._scale, self._entropy, self._candidates = gains, scale, entropy, candidates

    def answer(self, asked: Asked, a_block: int, threads: int) -> Answer:
        w = np.ascontiguousarray(asked.vectors["w"])
        value, gradient = _core.expected_gain_sums(
            self.lists, self._gains, self._scale, self._entropy, w, a_block, threads
        )
        return Answer(np.array([value]), gradient)

    def part(self, begin: int, end: int) -> Part:
        assert self._candidates is not None
        first, last = self._candidates.offsets[[begin, end]].tolist()
        columns, arrays = packed_lists(self._candidates.select(begin, end))
        arrays["gains"] = self._gains[first:last]
        values = {"kind": self.kind, "columns": len(columns), "scale": self._scale, "entropy": self._entropy}
        return Part(columns, Packet(values, arrays))

    @classmethod
    def of_part(cls, packet: Packet) -> GainTerms:
        values, arrays = packet
        sentences = len(arrays["offsets"]) - 1
        return cls(
            lists_of(packet), sentences, values["columns"], arrays["gains"], values["scale"], values["entropy"]
        )


def packed_lists(candidates: CandidateSet) -> tuple[Integers, Arrays]:
    """Return the columns that occur, rising, and the arrays of the lists with these columns alone.

    Of a factored matrix rules stay rules, with the features that they have: what is added, and in which order, is
    the same in both, and so are the bytes.
    """
    matrix = candidates.matrix
    arrays: Arrays = {"offsets": candidates.offsets}
    if isinstance(matrix, FactoredMatrix):
        rules, places = np.unique(matrix.list, return_inverse=True)
        starts, ids, values = matrix.rule_features.native.rows_of(rules.astype(np.uint32))
        arrays |= {name: array for name, array in matrix.arrays().items() if name in _FACTORED}
        arrays |= {"rule_list": places.reshape(-1).astype(np.uint32)}
        arrays |= {"rule_starts": starts, "rule_ids": ids, "rule_values": values}
        numbered: tuple[str, ...] = ("rule_ids", "state_ids", "state_pair_ids")
    else:
        arrays |= {name: matrix.arrays()[name] for name in _PLAIN}
        numbered = ("dense_ids", "sparse_ids")
    columns = np.unique(np.concatenate([arrays[name] for name in numbered]))
    for name in numbered:
        arrays[name] = np.searchsorted(columns, arrays[name]).astype(np.uint32)
    return columns.astype(np.int64), arrays


def lists_of(packet: Packet) -> _core.CandidateLists:
    """Return lists from what `packed_lists` gave; the core checks every number."""
    arrays, columns = packet.arrays, packet.values["columns"]
    if "rule_list" in arrays:
        starts, ids, values = (arrays[name] for name in _RULES)
        rules = _core.FeatureMatrix(np.empty((len(starts) - 1, 0), np.float32), starts, ids, values, columns, 0)
        given = (arrays[name] for name in _FACTORED)
        matrix = _core.factored_matrix(rules, columns, arrays["offsets"], *given)
    else:
        matrix = PlainMatrix(columns, *(arrays[name] for name in _PLAIN)).native
    return _core.CandidateLists(matrix, arrays["offsets"])
