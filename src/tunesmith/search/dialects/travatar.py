"""n-best lists of Travatar: `id ||| words ||| score ||| name=v name=v`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from tunesmith import _core
from tunesmith.search.dialects.bars import BarDialect
from tunesmith.search.dialects.base import NOT_MINE, Detection, dialects
from tunesmith.search.dialects.recognise import bar_lines


@dialects.register("travatar")
class TravatarDialect(BarDialect):
    """Lists with the score before the features (travatar-runner.cc and rescorer-runner.cc of Travatar)."""

    name: ClassVar[str] = "travatar"
    order: ClassVar[Any] = _core.NbestOrder.score_first
    joined: ClassVar[bool] = True

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        lines = bar_lines(head)
        if not lines or len(lines[0].fields) < 4:
            return NOT_MINE
        third, fourth = lines[0].kinds[2:4]
        if third != "numbers" or len(lines[0].fields[2].split()) != 1 or fourth not in ("pairs", "labels"):
            return NOT_MINE
        return Detection(0.9, "the score in the third field, features in the fourth")
