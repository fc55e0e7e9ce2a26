"""What a tokeniser is, and lower-casing around any of them."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from typing import ClassVar

from tunesmith.errors import ConfigError


class Tokenizer(ABC):
    """A way to split a line into tokens. The signature says which rules of which library did it.

    A line of tokens holds them joined by one space, so that `str.split()` finds them again.
    """

    word_by_word: ClassVar[bool] = False
    """Whether the tokens of a line are those of its words (what white space separates), one after the other."""

    def __init__(self, language: str = "en") -> None:
        if not re.fullmatch(r"[a-z]{2,3}", language):
            raise ConfigError(f"{language!r} is not a language code; two or three letters such as en or zh are")
        self.language = language

    @property
    @abstractmethod
    def signature(self) -> str:
        """Name, settings and library version, such as `moses[lang=en,sacremoses=0.2.0]`."""

    @abstractmethod
    def split(self, line: str) -> list[str]:
        """Return the tokens of a line: not empty, without white space."""

    def tokenize(self, line: str) -> str:
        """Return the tokens of a line joined by one space."""
        return " ".join(self.split(line))

    def detokenize(self, line: str) -> str:
        """Return a line as people write it, from tokens. ConfigError where the tokeniser knows no way back."""
        raise ConfigError(
            f"the tokeniser {self.signature} knows no way back to running text; "
            "keep the text before tokenising, or use moses, which does"
        )


class Lowercased(Tokenizer):
    """Another tokeniser, its tokens in lower case. Case is lost: detokenising does not bring it back."""

    def __init__(self, inner: Tokenizer) -> None:
        super().__init__(inner.language)
        self.inner = inner

    @property
    def signature(self) -> str:
        """The inner signature with `case=lower` as its first setting."""
        name, bracket, rest = self.inner.signature.partition("[")
        return f"{name}[case=lower,{rest}" if bracket else f"{name}[case=lower]"

    def split(self, line: str) -> list[str]:
        """Lower-case the tokens, not the line: rules for abbreviations look at case."""
        return [token.lower() for token in self.inner.split(line)]

    def detokenize(self, line: str) -> str:
        return self.inner.detokenize(line)
