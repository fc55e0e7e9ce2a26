"""Classes of target words where phrases meet: Green et al. (2014), section 3.3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunesmith.features.base import StateFeature, register
from tunesmith.features.word_classes import needed_classes
from tunesmith.grammar import RuleTable


@register("class_boundary")
@dataclass(frozen=True)
class ClassBoundary(StateFeature):
    """Class of the last word of a phrase and of the first word of the next one: `class_boundary:59_7`.

    With `<s>` and `</s>`; a word that passes through is `<unk>`. Computed in the search of phrase-based models
    (cpp/features/search/class_boundary.hpp).
    """

    needs_classes: ClassVar[tuple[str, ...]] = ("target",)

    def inputs(self, table: RuleTable) -> Mapping[str, object]:
        classes = needed_classes(table, "target", "class_boundary")
        numbers = classes.numbers.astype(np.float32)  # whole numbers below 2**24
        return {"names": list(classes.names), "numbers": numbers, "unknown": classes.unknown}
