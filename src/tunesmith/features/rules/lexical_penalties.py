"""Penalties for words that nothing in their rule translates: Watanabe et al. (2007), Bender et al. (2004)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.checks import within
from tunesmith.features.base import NativeFeature, register
from tunesmith.grammar import RuleTable

Keys = NDArray[np.uint64]


@dataclass(frozen=True)
class _LexicalPenalty(NativeFeature):
    """threshold: least p(word | other word) of a good pair; `relative`: times the best of p(· | other word)."""

    threshold: float = 0.5
    relative: bool = True

    dense: ClassVar[bool] = True
    side: ClassVar[_core.PenalisedSide]

    def __post_init__(self) -> None:
        within(0, 1, threshold=self.threshold)

    def native(self, table: RuleTable) -> _core.RuleTemplate:
        pairs, counts = link_counts(table)
        given = pairs >> np.uint64(32) if self.side == _core.PenalisedSide.target else pairs & np.uint64(2**32 - 1)
        return _core.lexical_penalty_template(self.side, pairs[self._good(given, counts)])

    def _good(self, given: Keys, counts: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which pairs have a probability given one of their words that reaches the threshold."""
        words, places = np.unique(given, return_inverse=True)
        whole = np.zeros(len(words))
        (np.maximum if self.relative else np.add).at(whole, places, counts)
        return counts >= self.threshold * whole[places]


@register("insertion_penalty")
@dataclass(frozen=True)
class InsertionPenalty(_LexicalPenalty):
    """Target words e of a rule with p(e|f) below the threshold for every source word f of the rule.

    threshold: relative to the best p(·|f); with `relative=no` of p(e|f) itself.
    Probabilities are those of `link_counts`. A word that passes through is not counted.
    """

    side: ClassVar[_core.PenalisedSide] = _core.PenalisedSide.target


@register("deletion_penalty")
@dataclass(frozen=True)
class DeletionPenalty(_LexicalPenalty):
    """Source words f of a rule with p(f|e) below the threshold for every target word e of the rule."""

    side: ClassVar[_core.PenalisedSide] = _core.PenalisedSide.source


_counted: WeakKeyDictionary[RuleTable, tuple[Keys, NDArray[np.float64]]] = WeakKeyDictionary()


def link_counts(table: RuleTable) -> tuple[Keys, NDArray[np.float64]]:
    """Return how often a source and a target word are linked, as `source << 32 | target` in rising order.

    Counted in rules of the table with one word on a side, each as often as it was seen; at least once. Each table
    is counted once.
    """
    if table not in _counted:
        _counted[table] = _link_counts(table)
    return _counted[table]


def _link_counts(table: RuleTable) -> tuple[Keys, NDArray[np.float64]]:
    source_rules, link_offsets = (table.array(name).astype(np.int64) for name in ("source_rules", "link_offsets"))
    source_offsets, target_offsets = (
        table.array(name).astype(np.int64) for name in ("source_offsets", "target_offsets")
    )
    sides = np.repeat(np.arange(len(source_rules) - 1), np.diff(source_rules))
    short = (np.diff(source_offsets)[sides] == 1) | (np.diff(target_offsets) == 1)
    links_of = np.diff(link_offsets)
    rules = np.repeat(np.arange(len(table)), links_of)
    chosen = short[rules]  # gaps have no links
    rules, links = rules[chosen], table.array("links")[chosen].astype(np.int64)
    source = table.array("source_symbols")[source_offsets[sides[rules]] + links[:, 0]].astype(np.uint64)
    target = table.array("target_symbols")[target_offsets[rules] + links[:, 1]].astype(np.uint64)
    pairs, places = np.unique(source << np.uint64(32) | target, return_inverse=True)
    counts = np.zeros(len(pairs))
    np.add.at(counts, places, np.maximum(table.array("occurrences")[rules], 1))
    return pairs, counts
