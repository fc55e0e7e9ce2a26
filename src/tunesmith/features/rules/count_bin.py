"""Bins of counts: Cherry and Foster (2012), section 4.2; `exact` is the over-fitting set of their section 5.1."""

from __future__ import annotations

from dataclasses import dataclass

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.features.base import NativeFeature, register
from tunesmith.grammar import RuleTable


@register("count_bin")
@dataclass(frozen=True)
class CountBin(NativeFeature):
    """How often the rule was seen, by upper bound: `count_bin:4` (3 or 4 times), …, `count_bin:inf`.

    bounds: upper bounds of the bins; one more is without.   exact: a feature for every number instead.
    A rule that was never seen (made up, or imported without counts) fires nothing.
    """

    bounds: tuple[int, ...] = (1, 2, 4, 8, 16, 32, 64, 128, 1000, 10000)
    exact: bool = False

    def __post_init__(self) -> None:
        rising = all(low < high for low, high in zip(self.bounds, self.bounds[1:], strict=False))
        if not (self.bounds and rising and self.bounds[0] >= 1 and self.bounds[-1] < 2**32):
            raise ConfigError(f"bounds must be rising numbers from 1 on, got {self.bounds}")

    def native(self, table: RuleTable) -> _core.RuleTemplate:
        return _core.count_bin_template([] if self.exact else list(self.bounds))
