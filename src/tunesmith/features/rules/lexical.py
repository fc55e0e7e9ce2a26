"""Lexicalised templates of Green et al. (2014), sections 3.1 and 3.2, after Liang et al. (2006)."""

from __future__ import annotations

from dataclasses import dataclass

from tunesmith import _core
from tunesmith.checks import within
from tunesmith.features.base import NativeFeature, register
from tunesmith.grammar import RuleTable


@dataclass(frozen=True)
class _OfFrequentRules(NativeFeature):
    """more_than: fires for rules seen more often than this; 0 for every rule."""

    more_than: int = 0

    def __post_init__(self) -> None:
        within(0, 2**32 - 1, more_than=self.more_than)


@register("lexical_rule")
@dataclass(frozen=True)
class LexicalRule(_OfFrequentRules):
    """The rule itself, if it is frequent: `lexical_rule:茶|tea`."""

    more_than: int = 50

    def native(self, table: RuleTable) -> _core.RuleTemplate:
        return _core.lexical_rule_template(self.more_than)


@register("lexical_alignment")
@dataclass(frozen=True)
class LexicalAlignment(_OfFrequentRules):
    """The words of each connected part of the links, one or many a side: `lexical_alignment:喝|drink_up`."""

    def native(self, table: RuleTable) -> _core.RuleTemplate:
        return _core.lexical_alignment_template(self.more_than)


@register("source_deletion")
@dataclass(frozen=True)
class SourceDeletion(NativeFeature):
    """Source words without a link: `source_deletion:了`."""

    def native(self, table: RuleTable) -> _core.RuleTemplate:
        return _core.source_deletion_template()
