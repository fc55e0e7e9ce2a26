"""Data types of the synchronous grammar, one for each kind of line of the data files.

A `Rule` pairs a Chinese side with English alternatives. Both sides may be cut into parts, so
that a verb and its object can stand apart (把, relative clauses, fronted topics) and still be
chosen together. Rules live in `SymbolClass`es; the sentence patterns are the rules of the
class `SENTENCE`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

SENTENCE = "SENTENCE"
"""Name of the class that holds the sentence patterns."""


@dataclass(frozen=True)
class SourceWord:
    """A literal Chinese token; `gloss` is the English it stands for here ("" if none is said)."""

    text: str
    gloss: str = ""


@dataclass(frozen=True)
class SourceSlot:
    """A place for a constituent. `part` 0 is the whole; `attribute` asks for e.g. its `cl`."""

    name: str
    part: int = 0
    attribute: str = ""


SourceItem: TypeAlias = SourceWord | SourceSlot
SourceSide: TypeAlias = tuple[tuple[SourceItem, ...], ...]
"""Parts, each a sequence of items."""


@dataclass(frozen=True)
class Word:
    """A literal English token. `head`: inflects with the form asked of the rule (`*eat`).

    `agrees` names the slot it agrees with in the present tense (`be@who`).
    """

    text: str
    head: bool = False
    agrees: str = ""


@dataclass(frozen=True)
class Slot:
    """A constituent in a form. `head`: a form asked of the rule is handed down to it.

    `subject` names the slot it agrees with; `name` "@" is the subject handed down itself.
    """

    name: str
    part: int = 0
    form: str = ""
    head: bool = False
    subject: str = ""


@dataclass(frozen=True)
class Choice:
    """Paraphrases: any option is right. An empty option makes the others optional."""

    options: tuple[Template, ...]


Item: TypeAlias = Word | Slot | Choice
Template: TypeAlias = tuple[Item, ...]
Alternative: TypeAlias = tuple[Template, ...]
"""One English rendering of a rule: a template for each part."""


@dataclass(frozen=True, eq=False)
class Rule:
    """One line (or pattern) of the data; identity is its place in the files."""

    id: str
    class_name: str
    slots: Mapping[str, str]
    """Slot name → class name, in order of first mention."""
    sources: tuple[SourceSide, ...]
    """Chinese variants; each uses every slot."""
    alternatives: tuple[Alternative, ...]
    attributes: Mapping[str, str]
    weight: float
    held_out: bool
    path: str
    line: int

    @property
    def lexical(self) -> bool:
        """Whether the rule is a plain lexical entry: no slots."""
        return not self.slots


@dataclass(frozen=True, eq=False)
class SymbolClass:
    """Rules that may stand in the same slot, most frequent first."""

    name: str
    attributes: Mapping[str, str]
    rules: tuple[Rule, ...]
    path: str
    line: int


def items_of(template: Template) -> Iterator[Word | Slot]:
    """Yield all words and slots of a template, through every option of every choice."""
    for item in template:
        if isinstance(item, Choice):
            for option in item.options:
                yield from items_of(option)
        else:
            yield item


def words_of_rule(rule: Rule) -> Iterator[Word | Slot]:
    """Yield all words and slots of all alternatives of a rule."""
    for alternative in rule.alternatives:
        for template in alternative:
            yield from items_of(template)
