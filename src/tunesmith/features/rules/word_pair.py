"""Word pairs: Cherry and Foster (2012), section 4.2 and Table 3."""

from __future__ import annotations

from dataclasses import dataclass

from tunesmith import _core
from tunesmith.checks import within
from tunesmith.features.base import NativeFeature, register
from tunesmith.features.rules.top_words import MOST, top_words
from tunesmith.grammar import RuleTable


@register("word_pair")
@dataclass(frozen=True)
class WordPair(NativeFeature):
    """Words aligned 1-1, as in `word_pair:茶_tea`; any other word, as in `word_pair:|not-1-1|_tea`.

    top: how many of the most frequent words of each language go by their names, all others being `|other|`;
    80 makes 82² columns. 0 names every word.
    """

    top: int = 80

    def __post_init__(self) -> None:
        within(0, MOST, top=self.top)

    def native(self, table: RuleTable) -> _core.RuleTemplate:
        vocabularies = (table.source_vocabulary, table.target_vocabulary)
        source, target = (top_words(words, self.top) for words in vocabularies)
        return _core.word_pair_template(source, target)
