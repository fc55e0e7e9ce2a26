"""Forms of tokens that features are made of: Watanabe et al. (2007), section 3.3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tunesmith.corpus.vocab import SPECIAL
from tunesmith.errors import ConfigError
from tunesmith.features.word_classes import needed_classes
from tunesmith.grammar import RuleTable

KINDS = ("surface", "class", "prefix", "suffix", "digits")
COMBINE = ("full", "paired")
_ENDS = 4
_MOST_FORMS = 2**24  # numbers travel as float32


@dataclass(frozen=True)
class TokenSettings:
    """Settings of templates whose words may go by several forms.

    tokens: kinds of forms, joined by `/`: `surface` (the word), `class` (`[12]`), `prefix` (`viol+`), `suffix`
    (`+late`), `digits` (`@@@@/@/@@`). A word of up to four letters is its own prefix and suffix, one without
    digits its own masked form; `<s>`, `</s>` and `<unk>` have one form. Equal forms fire once.
    combine: `full` fires every form of one word with every form of the other, `paired` forms of the same kind.
    """

    tokens: str = "surface"
    combine: str = "full"

    def __post_init__(self) -> None:
        kinds = self.tokens.split("/")
        if unknown := [kind for kind in kinds if kind not in KINDS]:
            raise ConfigError(f"tokens must be some of {'/'.join(KINDS)}, got {unknown[0]!r}")
        if len(set(kinds)) < len(kinds):
            raise ConfigError(f"tokens names a kind twice: {self.tokens!r}")
        if self.combine not in COMBINE:
            raise ConfigError(f"combine must be {' or '.join(COMBINE)}, got {self.combine!r}")

    sides: ClassVar[tuple[str, ...]] = ("source", "target")
    """Whose words the features are made of."""

    @property
    def needs_classes(self) -> tuple[str, ...]:
        """Sides whose words also go by their classes."""
        return self.sides if "class" in self.tokens.split("/") else ()

    def inputs(self, table: RuleTable) -> Mapping[str, object]:
        """Return names of the forms of a side's words, and the forms of each word."""
        inputs: dict[str, object] = {"combine": self.combine}
        kinds = self.tokens.split("/")
        for side in self.sides:
            columns = [_column(kind, table, side) for kind in kinds]
            names = {name: number for number, name in enumerate(SPECIAL)}
            numbers = [
                names.setdefault(form, len(names)) for forms in zip(*columns, strict=True) for form in forms
            ]
            if len(names) >= _MOST_FORMS:
                raise ConfigError(f"{len(names)} forms of {side} words; up to {_MOST_FORMS - 1} can be numbered")
            inputs |= {f"{side}_names": list(names), f"{side}_forms": np.array(numbers, dtype=np.float32)}
        return inputs


def _column(kind: str, table: RuleTable, side: str) -> list[str]:
    """Return the form of each word of a side."""
    vocabulary = table.source_vocabulary if side == "source" else table.target_vocabulary
    words = list(vocabulary.words[len(SPECIAL) :])
    if kind == "class":
        classes = needed_classes(table, side, "tokens=class")
        return [*SPECIAL, *(f"[{classes.names[number]}]" for number in classes.numbers[len(SPECIAL) :].tolist())]
    return [*SPECIAL, *(form_of(kind, word) for word in words)]


def form_of(kind: str, word: str) -> str:
    """Return a form that depends on the word alone."""
    if kind == "prefix":
        return word[:_ENDS] + "+" if len(word) > _ENDS else word
    if kind == "suffix":
        return "+" + word[-_ENDS:] if len(word) > _ENDS else word
    if kind == "digits":
        return "".join("@" if letter.isdecimal() else letter for letter in word)
    return word
