"""`none`: for text that is already tokenised."""

from __future__ import annotations

from tunesmith.corpus.tokenizers.base import Tokenizer


class NoTokenizer(Tokenizer):
    """White space separates tokens. Both directions only replace every run of white space by one space."""

    signature = "none"
    word_by_word = True

    def split(self, line: str) -> list[str]:
        return line.split()

    def detokenize(self, line: str) -> str:
        return " ".join(line.split())
