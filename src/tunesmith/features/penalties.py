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
    """Minus the number of target words, as in Moses; an unknown word that passes through is one."""

    def columns(self, table: RuleTable) -> Sequence[tuple[str, str, int]]:
        """The one value."""
        return [("", "word_penalty", 0)]

    def special(self) -> Special:
        """A word that passes through is a target word."""
        return {SpecialRule.unknown: [("", -1.0)]}


@register("rule_penalty")
@dataclass(frozen=True)
class RulePenalty(DenseFeature):
    """1 for every rule of the table."""

    def columns(self, table: RuleTable) -> Sequence[tuple[str, str, int]]:
        """The one value."""
        return [("", "rule_penalty", 0)]


@register("glue_penalty")
@dataclass(frozen=True)
class GluePenalty(SpecialFeature):
    """1 for every glue rule, which puts a translated piece behind the ones before it."""

    def special(self) -> Special:
        """The glue rule."""
        return {SpecialRule.glue: [("", 1.0)]}


@register("unknown")
@dataclass(frozen=True)
class Unknown(SpecialFeature):
    """1 for every word that the table does not know; it passes through."""

    def special(self) -> Special:
        """The rule of unknown words."""
        return {SpecialRule.unknown: [("", 1.0)]}
