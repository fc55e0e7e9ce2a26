"""n-best lists of Joshua: `id ||| words ||| name=v name=v ||| score`.

Early versions wrote values without names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from tunesmith.search.dialects.bars import BarDialect
from tunesmith.search.dialects.base import NOT_MINE, Detection, dialects
from tunesmith.search.dialects.recognise import bar_lines

_OWN = re.compile(r"(lm_\d+|tm_[a-z]+_\d+|OOVPenalty|Arity.*|PhrasePenalty)")


@dialects.register("joshua")
class JoshuaDialect(BarDialect):
    """Lists in Joshua's output format `%i ||| %s ||| %f ||| %c`."""

    name: ClassVar[str] = "joshua"
    joined: ClassVar[bool] = True
    unlabelled: ClassVar[bool] = True

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        lines = bar_lines(head)
        if not lines:
            return NOT_MINE
        if lines[0].kinds[2] == "pairs":
            own = next(filter(_OWN.fullmatch, lines[0].names(2)), None)
            return NOT_MINE if own is None else Detection(0.8, f"the feature {own} of Joshua")
        if lines[0].kinds[2] == "numbers" and lines[0].kinds[3:4] in ([], ["numbers"]):
            return Detection(0.5, "values without names in the third field")
        return NOT_MINE
