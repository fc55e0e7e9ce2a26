"""Linear distortion of phrase-based models."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunesmith.features.base import StateFeature, register
from tunesmith.grammar import RuleTable


@register("distortion")
@dataclass(frozen=True)
class Distortion(StateFeature):
    """Minus the source words jumped over between one phrase and the next (Koehn et al. 2003), as in Moses.

    A phrase that begins at source word b, after one that ends before word e, has the value -|b - e|. Computed in
    the search of phrase-based models.
    """

    def dense_details(self, table: RuleTable) -> Sequence[str]:
        return [""]
