"""JSON lines of results of CTranslate2's `translate_batch`."""

from __future__ import annotations

from typing import Any, ClassVar

from tunesmith.search.dialects.base import dialects
from tunesmith.search.dialects.huggingface import ScoredArrays


@dialects.register("ctranslate2")
class CTranslate2Dialect(ScoredArrays):
    """Arrays of pieces in `hypotheses`, and `scores`; the feature is `score`.

    `features` holds further features by name.
    """

    name: ClassVar[str] = "ctranslate2"
    texts = "hypotheses"
    scores = "scores"

    def written(self, words: str) -> Any:
        return words.split()
