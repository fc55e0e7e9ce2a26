"""Filters of sentence pairs: small settings objects, each with one reason to remove a pair."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, Protocol

from tunesmith.checks import at_least, one_of

# Says what is wrong with a pair, or None. Called once for every pair that came through the filters before.
Check = Callable[[str, str], "str | None"]


class Filter(Protocol):
    """A reason to remove pairs."""

    @property
    def reason(self) -> str:
        """One word for reports."""

    def checker(self) -> Check:
        """Return a fresh check for one pass over a corpus; it may remember what it saw."""


class _Stateless(ABC):
    """A filter that looks at one pair alone."""

    @abstractmethod
    def check(self, source: str, target: str) -> str | None:
        """Say what is wrong with a pair, if anything is."""

    def checker(self) -> Check:
        return self.check


@dataclass(frozen=True)
class EmptySide(_Stateless):
    """A side without any word."""

    reason: ClassVar[str] = "empty"

    def check(self, source: str, target: str) -> str | None:
        empty = [name for name, text in (("source", source), ("target", target)) if not text.strip()]
        return " and ".join(empty) or None


@dataclass(frozen=True)
class MinLength(_Stateless):
    """A side of fewer words than this."""

    words: int = 1
    reason: ClassVar[str] = "too-short"

    def __post_init__(self) -> None:
        at_least(1, words=self.words)

    def check(self, source: str, target: str) -> str | None:
        return _lengths(source, target, lambda length: length < self.words)


@dataclass(frozen=True)
class MaxLength(_Stateless):
    """A side of more words than this."""

    words: int = 80
    reason: ClassVar[str] = "too-long"

    def __post_init__(self) -> None:
        at_least(1, words=self.words)

    def check(self, source: str, target: str) -> str | None:
        return _lengths(source, target, lambda length: length > self.words)


@dataclass(frozen=True)
class LengthRatio(_Stateless):
    """One side more than `max_ratio` times as long in words as the other.

    from_words: pairs whose longer side has fewer words are let through, since ratios of short phrases say little.
    """

    max_ratio: float = 9.0
    from_words: int = 1
    reason: ClassVar[str] = "ratio"

    def __post_init__(self) -> None:
        at_least(1, max_ratio=self.max_ratio, from_words=self.from_words)

    def check(self, source: str, target: str) -> str | None:
        shorter, longer = sorted((len(source.split()), len(target.split())))
        if longer < self.from_words or longer <= self.max_ratio * shorter:
            return None
        return f"{longer} to {shorter} words"


@dataclass(frozen=True)
class WordLength(_Stateless):
    """A word of more characters than this: lost spaces, addresses, binary data."""

    characters: int = 1000
    reason: ClassVar[str] = "long-word"

    def __post_init__(self) -> None:
        at_least(1, characters=self.characters)

    def check(self, source: str, target: str) -> str | None:
        longest = max(map(len, source.split() + target.split()), default=0)
        return f"a word of {longest} characters" if longest > self.characters else None


@dataclass(frozen=True)
class ControlCharacters(_Stateless):
    """A control character other than tab, a byte-order mark inside the text, or the U+FFFD of a bad conversion."""

    reason: ClassVar[str] = "control"
    _found: ClassVar[re.Pattern[str]] = re.compile("[\x00-\x08\x0a-\x1f\x7f-\x9f\ufeff\ufffd\u2028\u2029]")

    def check(self, source: str, target: str) -> str | None:
        for side, text in (("source", source), ("target", target)):
            if found := self._found.search(text):
                return f"U+{ord(found.group()):04X} at position {found.start() + 1} of the {side}"
        return None


@dataclass(frozen=True)
class IdenticalSides(_Stateless):
    """Source and target are the same words: not translated. An empty pair is not meant."""

    reason: ClassVar[str] = "identical"

    def check(self, source: str, target: str) -> str | None:
        return "source equals target" if source.split() == target.split() != [] else None


@dataclass(frozen=True)
class Duplicates:
    """A pair that came before, exactly, character by character; the first is kept.

    by: what must be equal, the `pair`, the `source`, the `target`, or `either` side.
    """

    by: Literal["pair", "source", "target", "either"] = "pair"
    reason: ClassVar[str] = "duplicate"

    def __post_init__(self) -> None:
        one_of(("pair", "source", "target", "either"), by=self.by)

    def checker(self) -> Check:
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


def _lengths(source: str, target: str, wrong: Callable[[int], bool]) -> str | None:
    lengths = len(source.split()), len(target.split())
    return f"{lengths[0]} and {lengths[1]} words" if any(map(wrong, lengths)) else None
