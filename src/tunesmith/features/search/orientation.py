"""Orientations of rules towards their neighbours: Green et al. (2014), section 3.5, after Liang et al. (2006)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunesmith.checks import one_of, within
from tunesmith.features.base import StateFeature, register
from tunesmith.features.word_classes import needed_classes
from tunesmith.grammar import RuleTable
from tunesmith.grammar.reordering import ORIENTATIONS

STATES = ("exact", "weighted", "printed")


@dataclass(frozen=True)
class _Orientation(StateFeature):
    """orientations: `msdn`, monotone, swap, discontinuous and, for the last two, non-monotone; or as tables have.

    state: what keeps hypotheses apart. `exact`: the last phrase, where it stands and what it is. `weighted`: what
    it is only where that has a weight towards the next phrase; scores are exact and more hypotheses are
    recombined, but features without weight may be those of another hypothesis. `printed`: the last orientation
    alone, as the paper has it, which is not exact.
    """

    orientations: str = "msdn"
    state: str = "exact"

    def __post_init__(self) -> None:
        one_of(ORIENTATIONS, orientations=self.orientations)
        one_of(STATES, state=self.state)

    def inputs(self, table: RuleTable) -> Mapping[str, object]:
        return {"orientations": list(ORIENTATIONS[self.orientations]), "state": self.state}


@register("lexical_orientation")
@dataclass(frozen=True)
class LexicalOrientation(_Orientation):
    """A frequent rule and where it stands: `lexical_orientation:previous-swap|茶|tea`, `…:next-monotone|茶|tea`.

    more_than: fires for rules seen more often than this; 0 for every rule. Computed in the search of phrase-based
    models (cpp/features/search/reordering/rule_orientation.hpp).
    """

    more_than: int = 50

    def __post_init__(self) -> None:
        super().__post_init__()
        within(0, 2**32 - 1, more_than=self.more_than)

    def inputs(self, table: RuleTable) -> Mapping[str, object]:
        return {**super().inputs(table), "more_than": self.more_than}


@register("class_orientation")
@dataclass(frozen=True)
class ClassOrientation(_Orientation):
    """The classes of a rule and where it stands: `class_orientation:previous-swap|492|59_59`.

    Computed in the search of phrase-based models (cpp/features/search/reordering/rule_orientation.hpp).
    """

    needs_classes: ClassVar[tuple[str, ...]] = ("source", "target")

    def inputs(self, table: RuleTable) -> Mapping[str, object]:
        found = dict(super().inputs(table))
        for side in self.needs_classes:
            classes = needed_classes(table, side, "class_orientation")
            found[f"{side}_names"] = list(classes.names)
            found[f"{side}_numbers"] = classes.numbers.astype(np.float32)  # whole numbers below 2**24
            found[f"{side}_unknown"] = classes.unknown
        return found
