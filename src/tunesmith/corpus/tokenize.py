"""Tokenisers by name."""

from __future__ import annotations

from typing import Protocol

from tunesmith.errors import ConfigError


class Tokenizer(Protocol):
    """Text to tokens separated by single blanks, and back."""

    @property
    def signature(self) -> str:
        """Name and settings."""

    def tokenize(self, line: str) -> str:
        """Tokens joined by single blanks."""


def make_tokenizer(name: str, language: str = "en", lowercase: bool = False) -> Tokenizer:
    """The tokeniser of this name."""
    raise ConfigError(f"unknown tokenizer {name!r}")
