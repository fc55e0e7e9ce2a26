"""Checks of the grammar that need more than one token: slots, parts, glosses, classes."""

from __future__ import annotations

from collections.abc import Mapping

from tunesmith.corpus.phrasebook.english import Morphology
from tunesmith.corpus.phrasebook.grammar import (
    SENTENCE,
    Rule,
    Slot,
    SourceSlot,
    SourceWord,
    SymbolClass,
    Word,
    items_of,
    words_of_rule,
)
from tunesmith.errors import FormatError


def check_rule(rule: Rule) -> None:
    """Check that slots are known on both sides, with the same parts on both. ValueError."""
    parts = {len(source) for source in rule.sources} | {len(a) for a in rule.alternatives}
    if len(parts) != 1:
        raise ValueError(f"sides of {rule.id} have different numbers of parts (' / ')")
    for source in rule.sources:
        used = {item.name for part in source for item in part if isinstance(item, SourceSlot)}
        for name in rule.slots:
            if name not in used:
                raise ValueError(f"slot '{name}' is missing in a Chinese variant of {rule.id}")
    for item in words_of_rule(rule):
        for name in (item.agrees,) if isinstance(item, Word) else (item.name, item.subject):
            if name not in ("", "@") and name not in rule.slots:
                raise ValueError(f"the English side uses slot '{name}', the Chinese side does not")


def check_glosses(classes: Mapping[str, SymbolClass], morphology: Morphology) -> None:
    """Check that every word of a gloss is a word of the rule's English, in some form. FormatError."""
    for rule in (rule for symbol in classes.values() for rule in symbol.rules):
        english = {item.text for item in words_of_rule(rule) if isinstance(item, Word)}
        items = (item for source in rule.sources for part in source for item in part)
        for item in (item for item in items if isinstance(item, SourceWord)):
            for word in item.gloss.split():
                if english.isdisjoint(morphology.forms(word)):
                    raise FormatError(
                        f"gloss '{word}' of {item.text} is not a word of the English side",
                        path=rule.path,
                        line=rule.line,
                    )


def check_classes(classes: Mapping[str, SymbolClass]) -> None:
    """Check that every slot's class exists and ends, its parts exist, every class is used. FormatError."""
    used = {SENTENCE}
    for symbol in classes.values():
        for rule in symbol.rules:
            for name, class_name in rule.slots.items():
                if class_name not in classes:
                    raise FormatError(f"slot '{name}': unknown class {class_name}", path=rule.path, line=rule.line)
                used.add(class_name)
            _check_parts(rule, classes)
    for symbol in classes.values():
        if symbol.name not in used:
            raise FormatError(f"class {symbol.name} is used by no slot", path=symbol.path, line=symbol.line)
    depths = depths_of(classes)
    for symbol in sorted(classes.values(), key=lambda symbol: symbol.name == SENTENCE):
        if symbol.name not in depths:
            raise FormatError(
                f"class {symbol.name} never ends: every rule leads back to it", path=symbol.path, line=symbol.line
            )


def _check_parts(rule: Rule, classes: Mapping[str, SymbolClass]) -> None:
    asked = [(i.name, i.part) for i in words_of_rule(rule) if isinstance(i, Slot) and i.name != "@"]
    for source in rule.sources:
        for part in source:
            asked += [(item.name, item.part) for item in part if isinstance(item, SourceSlot)]
    for name, number in asked:
        for child in classes[rule.slots[name]].rules:
            if number > len(child.alternatives[0]):
                raise FormatError(
                    f"slot '{name}' asks for part {number} of {child.id}"
                    f" ({child.path}:{child.line}), which has {len(child.alternatives[0])}",
                    path=rule.path,
                    line=rule.line,
                )


def check_subjects(classes: Mapping[str, SymbolClass]) -> None:
    """Check that a pattern hands a subject to every slot whose English mentions one (`@`). FormatError.

    Without it `his` would silently become `your`. Patterns that speak to the listener (imperatives,
    advice) are marked `addressed`.
    """
    needy = _parts_in_need(classes)
    for rule in classes[SENTENCE].rules:
        if "addressed" in rule.attributes:
            continue
        for item in words_of_rule(rule):
            if _mentions_subject(item, rule, needy):
                name = item.name if isinstance(item, Slot) else item.text
                raise FormatError(
                    f"pattern {rule.id}: '{name}' needs a subject; write {{{name}@who}},"
                    " or mark the pattern 'addressed' if the subject is the listener",
                    path=rule.path,
                    line=rule.line,
                )


def _parts_in_need(classes: Mapping[str, SymbolClass]) -> set[tuple[str, int]]:
    """Return each (class, part) whose English mentions a subject handed down; part 0 is the whole."""
    needy: set[tuple[str, int]] = set()
    size = -1
    while size < len(needy):
        size = len(needy)
        for symbol in classes.values():
            for rule in symbol.rules:
                for alternative in rule.alternatives:
                    for number, template in enumerate(alternative, start=1):
                        if any(_mentions_subject(item, rule, needy) for item in items_of(template)):
                            needy |= {(symbol.name, 0), (symbol.name, number)}
    return needy


def _mentions_subject(item: Word | Slot, rule: Rule, needy: set[tuple[str, int]]) -> bool:
    if isinstance(item, Word):
        return item.agrees == "@"
    if item.name == "@" or item.subject == "@":
        return True
    return not item.subject and (item.form == "pres" or (rule.slots[item.name], item.part) in needy)


def depths_of(classes: Mapping[str, SymbolClass]) -> dict[str, int]:
    """Return the depth of the shallowest derivation of each class; classes that never end are left out."""
    depths: dict[str, int] = {}
    changed = True
    while changed:
        changed = False
        for symbol in classes.values():
            for rule in symbol.rules:
                if all(name in depths for name in rule.slots.values()):
                    depth = 1 + max((depths[name] for name in rule.slots.values()), default=0)
                    if depth < depths.get(symbol.name, depth + 1):
                        depths[symbol.name] = depth
                        changed = True
    return depths
