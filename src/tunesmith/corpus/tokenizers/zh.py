"""`zh`: Chinese words by jieba (an extra), and Chinese text from words."""

from __future__ import annotations

import re
import warnings
from functools import cached_property
from importlib.metadata import version
from typing import Any

from tunesmith.corpus.tokenizers.base import Tokenizer
from tunesmith.errors import MissingExtraError

# Characters that are written without spaces: ideographs, kana, and CJK or full-width punctuation.
_CJK = "\u2e80-\u303f\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef"
_CJK += "\U00020000-\U0003ffff“”‘’…—·"
_NO_SPACE = re.compile(rf"(?<=[{_CJK}]) | (?=[{_CJK}])| (?=[,.!?;:%)\]}}](?:\s|[{_CJK}]|$))|(?<=[(\[{{]) ")


class ChineseTokenizer(Tokenizer):
    """Word segmentation by jieba with its own dictionary and its model for unknown words."""

    def __init__(self, language: str = "zh") -> None:
        super().__init__(language)

    @property
    def signature(self) -> str:
        _ = self._jieba  # or MissingExtraError, which says how to install it
        return f"zh[jieba={version('jieba')}]"

    def split(self, line: str) -> list[str]:
        """Segment by jieba; white space always separates."""
        words = self._jieba.cut(line, HMM=True)
        return [part for word in words for part in word.split()]

    def detokenize(self, line: str) -> str:
        """Join with no space next to a Chinese character and one space between Latin words."""
        return _NO_SPACE.sub("", " ".join(line.split()))

    @cached_property
    def _jieba(self) -> Any:
        """Segmenter. Loads jieba only when needed; detokenising does not need it."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # jieba: old escapes in its sources, pkg_resources
                import jieba
        except ImportError:
            raise MissingExtraError("the tokeniser zh", "jieba", "zh") from None
        segmenter = jieba.Tokenizer()
        # Like initialize(), without its messages and without a cache in the shared temporary folder, from which
        # other users' data could be loaded.
        segmenter.FREQ, segmenter.total = segmenter.gen_pfdict(segmenter.get_dict_file())
        segmenter.initialized = True
        return segmenter
