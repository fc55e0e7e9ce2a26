"""n-best lists of Moses: `id ||| words ||| Name= v v sparse_name= v ||| score [||| alignment …]`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tunesmith.search.dialects.bars import BarDialect
from tunesmith.search.dialects.base import NOT_MINE, Detection, dialects
from tunesmith.search.dialects.recognise import bar_lines


@dialects.register("moses")
class MosesDialect(BarDialect):
    """Lists of `moses -n-best-list` and of most tools that follow its format."""

    name: ClassVar[str] = "moses"

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        """Recognise labels followed by values in the third field; also lists that no other dialect matches."""
        lines = bar_lines(head)
        if not lines:
            return NOT_MINE
        if lines[0].kinds[2] == "labels":
            return Detection(0.7, f"features such as {lines[0].names(2)[0]}= in the third field")
        return Detection(0.1, "fields separated by |||")
