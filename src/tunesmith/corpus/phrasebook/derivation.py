"""A derivation: a rule with a derivation in each slot; its Chinese side and its attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tunesmith.corpus.phrasebook.english import Person
from tunesmith.corpus.phrasebook.grammar import Choice, Rule, Slot, SourceSlot, SymbolClass, Template, Word

_LISTENERS = frozenset(("你", "您", "你们"))


@dataclass(frozen=True, eq=False)
class Derivation:
    """One constituent. `variant` is the Chinese variant taken.

    Attributes and persons are kept: every realisation of the same derivation asks for them again.
    """

    rule: Rule
    symbol: SymbolClass
    children: Mapping[str, Derivation]
    variant: int = 0
    _attributes: dict[tuple[str, int], str] = field(default_factory=dict, init=False, repr=False)
    _persons: list[Person] = field(default_factory=list, init=False, repr=False)

    def source(self) -> str:
        """Return the Chinese side, segmented; a `_` token glues its neighbours into one word."""
        return " ".join(self.source_tokens()).replace(" _ ", "")

    def source_tokens(self, part: int = 0) -> list[str]:
        """Return tokens of one part, or of all for part 0; `_` still stands where words are glued."""
        parts = self.rule.sources[self.variant]
        tokens: list[str] = []
        for items in parts if part == 0 else parts[part - 1 : part]:
            for item in items:
                if isinstance(item, SourceSlot):
                    child = self.children[item.name]
                    if item.attribute:
                        tokens += child.attribute(item.attribute, item.part).split()
                    else:
                        tokens += child.source_tokens(item.part)
                else:
                    tokens.append(item.text)
        return tokens

    def attribute(self, key: str, part: int = 0) -> str:
        """Return an attribute: the entry's own, else its head's, else its class's, else ""."""
        known = self._attributes.get((key, part))
        if known is None:
            known = self._attributes[key, part] = self._find_attribute(key, part)
        return known

    def _find_attribute(self, key: str, part: int) -> str:
        own = self.rule.attributes.get(key)
        if own is not None:
            return own
        head = self.head(part)
        if head is not None:
            inherited = self.children[head.name].attribute(key, head.part)
            if inherited:
                return inherited
        return self.symbol.attributes.get(key, "")

    def head(self, part: int = 0) -> Slot | None:
        """Return the slot a form is handed down to, if the first alternative has one in this part."""
        templates = self.rule.alternatives[0]
        for template in templates if part == 0 else templates[part - 1 : part]:
            for item in first_way(template):
                if isinstance(item, Slot) and item.head:
                    return item
        return None

    def countable(self, part: int = 0) -> bool:
        """Return whether the head noun has a plural: it is written with a star."""
        head = self.head(part)
        if head is not None:
            return self.children[head.name].countable(head.part)
        templates = self.rule.alternatives[0]
        return any(
            isinstance(item, Word) and item.head
            for template in (templates if part == 0 else templates[part - 1 : part])
            for item in first_way(template)
        )

    def person(self) -> Person:
        """Return person, number and sex, for agreement and pronouns."""
        if not self._persons:
            person = Person(self.attribute("agr") or "3s", self.attribute("sex"), bool(self.attribute("pronoun")))
            self._persons.append(person)
        return self._persons[0]

    def fits_together(self) -> bool:
        """Return whether the parts of a sentence, each right by itself, can stand in one sentence.

        An entry of a class marked `once` is used once; the listener is 你, 您 or 你们 throughout;
        and nothing marked with a word that something else avoids (`avoid=`) is there.
        """
        said: set[tuple[str, str]] = set()
        avoided: set[str] = set()
        marks: set[str] = set()
        for node in self:
            if "once" in node.symbol.attributes:
                key = (node.symbol.name, node.source())
                if key in said:
                    return False
                said.add(key)
            avoided.update(node.rule.attributes.get("avoid", "").split(","))
            marks.update(node.rule.attributes, node.symbol.attributes)
        return avoided.isdisjoint(marks) and len(_LISTENERS.intersection(self.source_tokens())) <= 1

    def __iter__(self) -> Iterator[Derivation]:
        """Visit the derivation and all below it, parents first."""
        yield self
        for child in self.children.values():
            yield from child


def first_way(template: Template) -> Iterator[Word | Slot]:
    """Yield words and slots of a template with the first option of every choice."""
    for item in template:
        if isinstance(item, Choice):
            yield from first_way(item.options[0])
        else:
            yield item
