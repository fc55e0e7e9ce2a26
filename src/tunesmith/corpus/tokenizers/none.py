"""`none`: the text is tokenised already."""

from __future__ import annotations

from tunesmith.corpus.tokenizers.base import Tokenizer


class NoTokenizer(Tokenizer):
    """Tokens are what white space separates. Both directions only make every run of white space one space."""

    signature = "none"
    word_by_word = True

    def split(self, line: str) -> list[str]:
        return line.split()

    def detokenize(self, line: str) -> str:
        return " ".join(line.split())
