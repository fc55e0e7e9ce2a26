"""Lexicalised templates of Green et al. (2014), sections 3.1 and 3.2, after Liang et al. (2006)."""

from __future__ import annotations

from dataclasses import dataclass

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.features.base import NativeFeature, register
from tunesmith.grammar import RuleTable


def _check(template: str, more_than: int) -> None:
    if not 0 <= more_than < 2**32:
        raise ConfigError(f"{template}: more_than must be 0 (every rule) or more, not {more_than}")


@register("lexical_rule")
@dataclass(frozen=True)
class LexicalRule(NativeFeature):
    """The rule itself, if it is frequent: `lexical_rule:茶|tea`.

    more_than: fires for rules seen more often than this; 0 for every rule.
    """

    more_than: int = 50

    def __post_init__(self) -> None:
        _check("lexical_rule", self.more_than)

    def native(self, table: RuleTable) -> _core.RuleTemplate:
        """By the occurrences of the table."""
        return _core.lexical_rule_template(self.more_than)


@register("lexical_alignment")
@dataclass(frozen=True)
class LexicalAlignment(NativeFeature):
    """The words of each connected part of the links, one or many a side: `lexical_alignment:喝|drink_up`.

    more_than: fires for rules seen more often than this; 0 for every rule.
    """

    more_than: int = 0

    def __post_init__(self) -> None:
        _check("lexical_alignment", self.more_than)

    def native(self, table: RuleTable) -> _core.RuleTemplate:
        """Parts that occur."""
        return _core.lexical_alignment_template(self.more_than)
