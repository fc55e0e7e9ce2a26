"""True-casing: words at the beginning of a sentence in their most frequent form elsewhere (Lita et al. 2003).

The table is a text: lower-cased word, its most frequent form, and the count of that form, separated by tabs.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from tunesmith.errors import FormatError
from tunesmith.io import StrPath, display_name, iter_lines, write_lines

ENDS = frozenset(".!?…。！？")
"""After these tokens a sentence begins."""
OPENING = frozenset("\"'([{“‘«„‚¿¡-–—「『《")
"""Tokens that may stand before the first word of a sentence."""


@dataclass(frozen=True)
class Truecaser:
    """Table of the most frequent form of each word.

    forms: the most frequent form by lower-cased word; at equal counts the one that sorts last (lower case).
    """

    forms: Mapping[str, str]
    counts: Mapping[str, int]

    @classmethod
    def learn(cls, lines: Iterable[str]) -> Truecaser:
        """Count forms of words, except at the beginning of sentences, where case says nothing."""
        seen: dict[str, Counter[str]] = defaultdict(Counter)
        for line in lines:
            words = line.split()
            begins = set(sentence_begins(words))
            for at, word in enumerate(words):
                if at not in begins and any(letter.isalpha() for letter in word):
                    seen[word.lower()][word] += 1
        best = {word: max(found.items(), key=lambda item: (item[1], item[0])) for word, found in seen.items()}
        return cls({word: form for word, (form, _) in best.items()}, {word: n for word, (_, n) in best.items()})

    def apply(self, words: list[str]) -> list[str]:
        """Put first words of sentences into their usual form; unknown words do not change."""
        found = list(words)
        for at in sentence_begins(words):
            found[at] = self.forms.get(words[at].lower(), words[at])
        return found

    def save(self, path: StrPath) -> None:
        write_lines(path, (f"{word}\t{form}\t{self.counts[word]}" for word, form in sorted(self.forms.items())))

    @classmethod
    def load(cls, path: StrPath) -> Truecaser:
        """Read what `save` wrote; every line is checked."""
        forms, counts = {}, {}
        for number, line in enumerate(iter_lines(path), 1):
            parts = line.split("\t")
            if len(parts) != 3 or parts[1].lower() != parts[0] or not (parts[2].isascii() and parts[2].isdigit()):
                expected = "expected word<TAB>form<TAB>count, the form in lower case being the word"
                raise FormatError(f"{expected}. Train the model again", path=display_name(path), line=number)
            forms[parts[0]], counts[parts[0]] = parts[1], int(parts[2][:18])
        return cls(forms, counts)


def sentence_begins(words: list[str]) -> Iterator[int]:
    """Yield positions of first words, of the line and after a full stop; skips opening marks."""
    begin = True
    for at, word in enumerate(words):
        if begin and word not in OPENING:
            yield at
            begin = False
        if word in ENDS:
            begin = True


def capitalized(words: list[str]) -> list[str]:
    """Capitalize the first word of every sentence."""
    found = list(words)
    for at in sentence_begins(words):
        found[at] = words[at][:1].upper() + words[at][1:]
    return found
