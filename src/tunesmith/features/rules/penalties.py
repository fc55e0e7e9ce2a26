"""Penalties: what a rule costs by its mere use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tunesmith.features.base import DenseFeature, SpecialFeature, SpecialRule, register
from tunesmith.grammar import RuleTable

Special = Mapping[SpecialRule, Sequence[tuple[str, float]]]


@register("word_penalty")
@dataclass(frozen=True)
class WordPenalty(DenseFeature):
    """Minus the number of target words, as in Moses; an unknown word that passes through is one.

    borders: `<s>` and `</s>` count as words, as they do in hierarchical models of Moses.
    """

    borders: bool = False

    def columns(self, table: RuleTable) -> Sequence[tuple[str, str, int]]:
        return [("", "word_penalty", 0)]

    def special(self) -> Special:
        counted = [SpecialRule.unknown, *([SpecialRule.begin, SpecialRule.end] if self.borders else [])]
        return {rule: [("", -1.0)] for rule in counted}


@register("rule_penalty")
@dataclass(frozen=True)
class RulePenalty(DenseFeature):
    """1 for every rule of the table.

    every: for those of no table too, glue and unknown words, as the phrase penalty of Moses.
    unknown: for unknown words too, as the same in its phrase-based models.
    """

    every: bool = False
    unknown: bool = False

    def columns(self, table: RuleTable) -> Sequence[tuple[str, str, int]]:
        return [("", "rule_penalty", 0)]

    def special(self) -> Special:
        chosen = list(SpecialRule) if self.every else [SpecialRule.unknown] if self.unknown else []
        return {rule: [("", 1.0)] for rule in chosen}


@register("glue_penalty")
@dataclass(frozen=True)
class GluePenalty(SpecialFeature):
    """1 for every glue rule, which appends a translated piece to the ones before it.

    value: instead of 1.   begin, end: of the rules that open and close a sentence. A glue grammar of Moses has
    scores of its own for all three.
    """

    value: float = 1.0
    begin: float = 0.0
    end: float = 0.0

    def special(self) -> Special:
        values = {SpecialRule.glue: self.value, SpecialRule.begin: self.begin, SpecialRule.end: self.end}
        return {rule: [("", value)] for rule, value in values.items() if value}


@register("unknown")
@dataclass(frozen=True)
class Unknown(SpecialFeature):
    """1 for every word that the table does not know; it passes through.

    value: instead of 1; Moses has -100.
    """

    value: float = 1.0

    def special(self) -> Special:
        return {SpecialRule.unknown: [("", self.value)]}
