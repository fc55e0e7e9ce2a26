"""How often a rule was seen, as dense features: DENSE of Green et al. (2014), after the extractors of Phrasal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunesmith.features.base import DenseFeature, register
from tunesmith.grammar import RuleTable


@register("log_count")
@dataclass(frozen=True)
class LogCount(DenseFeature):
    """Natural logarithm of how often the rule was seen; 0 for a rule that was never seen."""

    def columns(self, table: RuleTable) -> Sequence[tuple[str, str, int]]:
        return [("", "log_count", 0)]


@register("singleton")
@dataclass(frozen=True)
class Singleton(DenseFeature):
    """1 for a rule that was seen once."""

    def columns(self, table: RuleTable) -> Sequence[tuple[str, str, int]]:
        return [("", "singleton", 0)]
