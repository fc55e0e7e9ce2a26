"""n-best lists of Marian: `id ||| words [||| alignment] ||| F0= v F1= v [WordScores= v v …] ||| score`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, ClassVar

from tunesmith import _core
from tunesmith.search.dialects.bars import BarDialect
from tunesmith.search.dialects.base import NOT_MINE, Detection, dialects
from tunesmith.search.dialects.recognise import BarLine, bar_lines

_SCORER = re.compile(r"F\d+")
_WORD_SCORES = "WordScores"


@dialects.register("marian")
class MarianDialect(BarDialect):
    """Output of `marian-decoder --n-best` (src/translator/output_printer.h of Marian).

    One scorer may be `F0=v` without a blank. The alignment (`--alignment`) and the word scores (`--word-scores`)
    are kept after the score: they are not features, since their number varies with the length.
    """

    name: ClassVar[str] = "marian"
    order: ClassVar[Any] = _core.NbestOrder.alignment_first

    @classmethod
    def detect(cls, head: Sequence[str]) -> Detection:
        for line in bar_lines(head):
            for field in range(2, min(len(line.fields), 4)):
                if line.kinds[field] in ("labels", "pairs"):
                    return cls._judge(line, field)
        return NOT_MINE

    @staticmethod
    def _judge(line: BarLine, field: int) -> Detection:
        names = line.names(field)
        if _WORD_SCORES in names:
            return Detection(0.95, "the word scores of Marian")
        if all(map(_SCORER.fullmatch, names)):
            return Detection(0.9, f"the scorer {names[0]} of Marian")
        if field == 3 and line.kinds[2] == "text" and len(line.fields) == 5:
            return Detection(0.75, "an alignment before the features, as Marian writes it")
        return NOT_MINE
