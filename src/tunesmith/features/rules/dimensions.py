"""Dimensions of rules: Green et al. (2014), section 3.4, after Hopkins and May (2011)."""

from __future__ import annotations

from dataclasses import dataclass

from tunesmith import _core
from tunesmith.features.base import NativeFeature, register
from tunesmith.grammar import RuleTable


@register("source_dimension")
@dataclass(frozen=True)
class SourceDimension(NativeFeature):
    """Number of source words, and of gaps if there are any: `source_dimension:2`, `source_dimension:2+1`."""

    def native(self, table: RuleTable) -> _core.RuleTemplate:
        return _core.dimension_template(_core.Dimension.source)


@register("target_dimension")
@dataclass(frozen=True)
class TargetDimension(NativeFeature):
    """Number of target words, and of gaps if there are any: `target_dimension:3`."""

    def native(self, table: RuleTable) -> _core.RuleTemplate:
        return _core.dimension_template(_core.Dimension.target)


@register("rule_shape")
@dataclass(frozen=True)
class RuleShape(NativeFeature):
    """Source and target dimension together: `rule_shape:2_3`, `rule_shape:2+1_1+1`."""

    def native(self, table: RuleTable) -> _core.RuleTemplate:
        return _core.dimension_template(_core.Dimension.both)
