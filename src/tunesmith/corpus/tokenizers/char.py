"""`char`: every character is a token."""

from __future__ import annotations

from tunesmith.corpus.tokenizers.base import Tokenizer


class CharTokenizer(Tokenizer):
    """Every character that is not white space, one by one; white space is dropped.

    Detokenising is exact for text without spaces (Chinese, Japanese); spaces between words are lost.
    """

    signature = "char"
    word_by_word = True

    def split(self, line: str) -> list[str]:
        return list("".join(line.split()))

    def detokenize(self, line: str) -> str:
        return "".join(line.split())
