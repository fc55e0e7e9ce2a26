"""Bins of lengths: Cherry and Foster (2012), section 4.2."""

from __future__ import annotations

from dataclasses import dataclass

from tunesmith import _core
from tunesmith.checks import within
from tunesmith.features.base import NativeFeature, register
from tunesmith.grammar import RuleTable


@register("length_bin")
@dataclass(frozen=True)
class LengthBin(NativeFeature):
    """Number of source words, of target words, and both: `length_bin:source_2`, `:target_3`, `:2_3`.

    longest: sides with more words count as this long; 7 makes 7 + 7 + 49 columns. Gaps are not counted.
    """

    longest: int = 7

    def __post_init__(self) -> None:
        within(1, 255, longest=self.longest)

    def native(self, table: RuleTable) -> _core.RuleTemplate:
        return _core.length_bin_template(self.longest)
