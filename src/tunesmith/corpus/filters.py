"""Filters of sentence pairs: small settings objects, each with one reason to remove a pair."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from tunesmith.errors import ConfigError

# Says what is wrong with a pair, or None. Called once for every pair that came through the filters before.
Check = Callable[[str, str], "str | None"]


class Filter(Protocol):
    """A reason to remove pairs."""

    @property
    def reason(self) -> str:
        """One word for reports."""

    def checker(self) -> Check:
        """A fresh check for one pass over a corpus; it may remember what it saw."""


@dataclass(frozen=True)
class EmptySide:
    """A side without any word."""

    reason: ClassVar[str] = "empty"

    def checker(self) -> Check:
        """Names the empty side."""

        def check(source: str, target: str) -> str | None:
            empty = [name for name, text in (("source", source), ("target", target)) if not text.strip()]
            return " and ".join(empty) if empty else None

        return check


@dataclass(frozen=True)
class MinLength:
    """A side of fewer words than this."""

    words: int = 1
    reason: ClassVar[str] = "too-short"

    def __post_init__(self) -> None:
        _at_least(1, self.words, "MinLength.words")

    def checker(self) -> Check:
        """Gives the lengths."""
        return lambda source, target: _lengths(source, target, lambda length: length < self.words)


@dataclass(frozen=True)
class MaxLength:
    """A side of more words than this."""

    words: int = 80
    reason: ClassVar[str] = "too-long"

    def __post_init__(self) -> None:
        _at_least(1, self.words, "MaxLength.words")

    def checker(self) -> Check:
        """Gives the lengths."""
        return lambda source, target: _lengths(source, target, lambda length: length > self.words)


@dataclass(frozen=True)
class LengthRatio:
    """One side more than `max_ratio` times as long in words as the other.

    from_words: pairs whose longer side has fewer words are let through, since ratios of short phrases say little.
    """

    max_ratio: float = 9.0
    from_words: int = 1
    reason: ClassVar[str] = "ratio"

    def __post_init__(self) -> None:
        if not self.max_ratio >= 1:
            raise ConfigError(f"LengthRatio.max_ratio must be 1 or more, not {self.max_ratio}")
        _at_least(1, self.from_words, "LengthRatio.from_words")

    def checker(self) -> Check:
        """Gives the lengths."""

        def check(source: str, target: str) -> str | None:
            shorter, longer = sorted((len(source.split()), len(target.split())))
            if longer < self.from_words or longer <= self.max_ratio * shorter:
                return None
            return f"{longer} to {shorter} words"

        return check


@dataclass(frozen=True)
class WordLength:
    """A word of more characters than this: lost spaces, addresses, binary data."""

    characters: int = 1000
    reason: ClassVar[str] = "long-word"

    def __post_init__(self) -> None:
        _at_least(1, self.characters, "WordLength.characters")

    def checker(self) -> Check:
        """Gives the length of the longest word."""

        def check(source: str, target: str) -> str | None:
            longest = max(map(len, source.split() + target.split()), default=0)
            return f"a word of {longest} characters" if longest > self.characters else None

        return check


@dataclass(frozen=True)
class ControlCharacters:
    """A control character other than tab, a byte-order mark inside the text, or the U+FFFD of a bad conversion."""

    reason: ClassVar[str] = "control"
    _found: ClassVar[re.Pattern[str]] = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\ufeff\ufffd\u2028\u2029]")

    def checker(self) -> Check:
        """Names the first such character and its place."""

        def check(source: str, target: str) -> str | None:
            for side, text in (("source", source), ("target", target)):
                if found := self._found.search(text):
                    return f"U+{ord(found.group()):04X} at position {found.start() + 1} of the {side}"
            return None

        return check


@dataclass(frozen=True)
class IdenticalSides:
    """Source and target are the same words: not translated."""

    reason: ClassVar[str] = "identical"

    def checker(self) -> Check:
        """An empty pair is not meant."""
        return lambda source, target: "source equals target" if source.split() == target.split() != [] else None


@dataclass(frozen=True)
class Duplicates:
    """A pair that came before, exactly, character by character; the first is kept.

    by: what must be equal, the `pair`, the `source`, the `target`, or `either` side.
    """

    by: Literal["pair", "source", "target", "either"] = "pair"
    reason: ClassVar[str] = "duplicate"

    def __post_init__(self) -> None:
        if self.by not in ("pair", "source", "target", "either"):
            raise ConfigError(f"Duplicates.by must be pair, source, target or either, not {self.by!r}")

    def checker(self) -> Check:
        """Says which part was seen before."""
        seen: set[object] = set()

        def check(source: str, target: str) -> str | None:
            keys: dict[str, object] = {"pair": (source, target), "source": (0, source), "target": (1, target)}
            wanted = ["source", "target"] if self.by == "either" else [self.by]
            for key in wanted:
                if keys[key] in seen:
                    return f"the same {key} came before"
            seen.update(keys[key] for key in wanted)
            return None

        return check


def _at_least(least: int, value: int, name: str) -> None:
    if value < least:
        raise ConfigError(f"{name} must be {least} or more, not {value}")


def _lengths(source: str, target: str, wrong: Callable[[int], bool]) -> str | None:
    lengths = len(source.split()), len(target.split())
    return f"{lengths[0]} and {lengths[1]} words" if any(map(wrong, lengths)) else None
