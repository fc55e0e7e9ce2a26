"""k-best lists of cdec: `id ||| words ||| Name=v Name=v [||| log probability]`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tunesmith.search.dialects.bars import BarDialect
from tunesmith.search.dialects.base import NOT_MINE, Detection, dialects
from tunesmith.search.dialects.recognise import bar_lines


@dialects.register("cdec")
class CdecDialect(BarDialect):
    """Output of `cdec -k` (decoder/oracle_bleu.h and decoder.cc of cdec, DumpKBest)."""

    name: ClassVar[str] = "cdec"
    joined: ClassVar[bool] = True

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        lines = bar_lines(head)
        if not lines or lines[0].kinds[2] != "pairs":
            return NOT_MINE
        return Detection(0.6, f"features such as {lines[0].fields[2].split()[0]} in the third field")
