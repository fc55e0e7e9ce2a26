"""Structural features of Watanabe et al. (2007), section 3.2, computed in the search (cpp/features/structure)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from tunesmith.features.base import SpanFeature, StateFeature, register
from tunesmith.features.tokens import TokenSettings
from tunesmith.grammar import RuleTable


@register("link_pairs")
@dataclass(frozen=True)
class LinkPairs(TokenSettings, SpanFeature):
    """Words that a link of a rule joins: `link_pairs:s|t`. A word that passes through is `<unk>|<unk>`."""


@register("link_bigrams")
@dataclass(frozen=True)
class LinkBigrams(TokenSettings, StateFeature):
    """Links that follow one another in the order of the target, also across rules: `link_bigrams:s|t_u|v`."""


@register("insertion")
@dataclass(frozen=True)
class Insertion(TokenSettings, SpanFeature):
    """A target word without a link, with every word of the source sentence: `insertion:s|t`."""


@register("parent_child")
@dataclass(frozen=True)
class ParentChild(TokenSettings, StateFeature):
    """Linked source words of a rule with those of the rule that covers its gap: `parent_child:p|c`."""

    sides: ClassVar[tuple[str, ...]] = ("source",)


@register("backtrack")
@dataclass(frozen=True)
class Backtrack(StateFeature):
    """`backtrack:height` and `backtrack:width` of the first part of each rule with two gaps.

    Before the second gap of a rule is translated, the search goes back to it from the part that covers the first
    one, in the order of the target; height is counted in rules, width in source words (Watanabe et al. 2006).
    """

    dense: ClassVar[bool] = True

    def dense_details(self, table: RuleTable) -> Sequence[str]:
        return ["height", "width"]
