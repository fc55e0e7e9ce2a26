"""Target words without a link: Cherry and Foster (2012), section 4.2."""

from __future__ import annotations

from dataclasses import dataclass

from tunesmith import _core
from tunesmith.checks import within
from tunesmith.features.base import NativeFeature, register
from tunesmith.features.rules.top_words import MOST, top_words
from tunesmith.grammar import RuleTable


@register("target_unaligned")
@dataclass(frozen=True)
class TargetUnaligned(NativeFeature):
    """Frequent target words without a link: `target_unaligned:the`.

    top: how many of the most frequent target words are examined; 0 for all.
    """

    top: int = 50

    def __post_init__(self) -> None:
        within(0, MOST, top=self.top)

    def native(self, table: RuleTable) -> _core.RuleTemplate:
        return _core.target_unaligned_template(top_words(table.target_vocabulary, self.top))
