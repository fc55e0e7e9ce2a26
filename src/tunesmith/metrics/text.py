"""What a word-based metric does to a line before it counts: lower-casing and tokenisation, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from tunesmith.corpus.tokenizers import Tokenizer, make_tokenizer, tokenizers


@dataclass(frozen=True)
class Preparation:
    """Lower-casing, then the tokeniser of this name (`none` splits at white space only)."""

    lowercase: bool = False
    tokenize: str = "none"

    def __post_init__(self) -> None:
        tokenizers.get(self.tokenize)  # an unknown name fails here, not at the first line

    @cached_property
    def tokenizer(self) -> Tokenizer:
        """The tokeniser, made when first used."""
        return make_tokenizer(self.tokenize)

    @property
    def word_by_word(self) -> bool:
        """Whether words are prepared the same alone and in a line. Lower-casing never looks past a blank."""
        return self.tokenize == "none" or self.tokenizer.word_by_word

    def __call__(self, lines: Sequence[str]) -> Sequence[str]:
        if self.lowercase:
            lines = [line.lower() for line in lines]
        if self.tokenize != "none":
            lines = [self.tokenizer.tokenize(line) for line in lines]
        return lines

    def settings(self) -> dict[str, str | int | float | bool]:
        """Return fields of the signature."""
        tokenizer = "none" if self.tokenize == "none" else self.tokenizer.signature
        return {"case": "lc" if self.lowercase else "mixed", "tok": tokenizer}
