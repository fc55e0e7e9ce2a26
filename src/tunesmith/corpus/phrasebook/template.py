"""Parse the two sides of a rule. Raises ValueError; the reader adds path and line."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator
from typing import TypeVar

from tunesmith.corpus.phrasebook.english import ADJECTIVE_FORMS, NOUN_FORMS, PERSON_FORMS, VERB_FORMS
from tunesmith.corpus.phrasebook.grammar import (
    Alternative,
    Choice,
    Item,
    Slot,
    SourceItem,
    SourceSide,
    SourceSlot,
    SourceWord,
    Template,
    Word,
)

FORMS = frozenset(VERB_FORMS + NOUN_FORMS + ADJECTIVE_FORMS + PERSON_FORMS)

_BRACKETS = re.compile(r"([\[\]()|])")
_MOST_VARIANTS = 1000
_CLOSING = {"[": "]", "(": ")"}
_SOURCE_SLOT = re.compile(r"\{(\w+)(?::(\w+))?(?:/(\d))?(?:\.(\w+))?\}")
_SLOT = re.compile(r"\{(\w+|@)(?:/(\d))?(?:\.(\w+))?(\*)?(?:@(\w+|@))?\}")
_SOURCE_WORD = re.compile(r"([^<>{}*@=]+)(?:<([a-z'\-_]+)>)?")
_WORD = re.compile(r"(\*)?([^<>{}*@=\s]+)(?:@(\w+|@))?")


T = TypeVar("T")


def _tokens(text: str) -> Iterator[str]:
    return iter(_BRACKETS.sub(r" \1 ", text).split())


def parse_english(text: str) -> tuple[Alternative, ...]:
    """Return the English side: alternatives apart by `|`, parts of each apart by `/`."""
    alternatives = []
    for option in _options(_tokens(text), closing=None):
        if not option:
            raise ValueError("an English alternative is empty")
        alternatives.append(_in_parts(option))
    return tuple(alternatives)


def _in_parts(items: Iterable[T]) -> tuple[tuple[T, ...], ...]:
    """Return the items of a side between its words `/`."""
    parts: list[list[T]] = [[]]
    for item in items:
        if isinstance(item, Word | SourceWord) and item.text == "/":
            parts.append([])
        else:
            parts[-1].append(item)
    return tuple(map(tuple, parts))


def _options(tokens: Iterator[str], closing: str | None) -> list[Template]:
    """Parse options separated by `|` up to `closing` (or the end), which is taken."""
    options: list[list[Item]] = [[]]
    for token in tokens:
        if token == closing:
            return [tuple(option) for option in options]
        if token == "|":
            options.append([])
        elif token in _CLOSING:
            inner = _options(tokens, _CLOSING[token])
            if any(not option for option in inner):
                raise ValueError(f"an option between '{token}' and '{_CLOSING[token]}' is empty")
            options[-1].append(Choice((*inner, ()) if token == "(" else tuple(inner)))
        elif token in _CLOSING.values():
            raise ValueError(f"unbalanced bracket: '{token}' closes nothing")
        else:
            options[-1].extend(_english_items(token))
    if closing is not None:
        raise ValueError(f"unbalanced bracket: '{closing}' is missing")
    return [tuple(option) for option in options]


def _english_items(token: str) -> list[Item]:
    if "{" in token or "}" in token:
        match = _SLOT.fullmatch(token)
        if match is None:
            raise ValueError(f"cannot read the slot '{token}' (write {{name/part.form*@subject}})")
        name, part, form, head, subject = match.groups()
        if form and form not in FORMS:
            raise ValueError(f"unknown form '.{form}' in '{token}'")
        return [Slot(name, int(part or 0), form or "", bool(head), subject or "")]
    if token == "/":
        return [Word("/")]
    match = _WORD.fullmatch(token)
    if match is None or token != token.lower():
        raise ValueError(f"cannot read the English word '{token}' (lower case, no < > =)")
    star, text, agrees = match.groups()
    if agrees:
        return [Word(text, bool(star), agrees)]
    cut = text.find("'", 1)
    if cut > 0:
        return [Word(text[:cut], bool(star)), Word(text[cut:])]
    return [Word(text, bool(star))]


def parse_source(text: str) -> tuple[tuple[SourceSide, ...], dict[str, str]]:
    """Return the Chinese side: its variants with choices written out, and the class of each slot."""
    slots: dict[str, str] = {}
    variants: list[SourceSide] = [_in_parts(way) for way in _source_options(_tokens(text), None, slots)]
    if not any(any(part) for variant in variants for part in variant):
        raise ValueError("the Chinese side is empty")
    return tuple(variants), slots


def _source_options(
    tokens: Iterator[str], closing: str | None, slots: dict[str, str]
) -> list[tuple[SourceItem, ...]]:
    """Return every way through the choices up to `closing`, written out."""
    done: list[tuple[SourceItem, ...]] = []
    current: list[tuple[SourceItem, ...]] = [()]
    for token in tokens:
        if token == closing:
            return done + current
        if token == "|":
            done += current
            current = [()]
        elif token in _CLOSING:
            inner = _source_options(tokens, _CLOSING[token], slots)
            if () in inner:
                raise ValueError(f"an option between '{token}' and '{_CLOSING[token]}' is empty")
            if token == "(":
                inner.append(())
            if len(current) * len(inner) > _MOST_VARIANTS:
                raise ValueError(f"there are more than {_MOST_VARIANTS} ways through the choices")
            current = [left + right for left, right in itertools.product(current, inner)]
        elif token in _CLOSING.values():
            raise ValueError(f"unbalanced bracket: '{token}' closes nothing")
        else:
            item = _source_item(token, slots)
            current = [(*left, item) for left in current]
    if closing is not None:
        raise ValueError(f"unbalanced bracket: '{closing}' is missing")
    return done + current


def _source_item(token: str, slots: dict[str, str]) -> SourceItem:
    if "{" in token or "}" in token:
        match = _SOURCE_SLOT.fullmatch(token)
        if match is None:
            raise ValueError(f"cannot read the slot '{token}' (write {{name:CLASS/part}})")
        name, class_name, part, attribute = match.groups()
        if class_name and slots.setdefault(name, class_name) != class_name:
            raise ValueError(f"slot '{name}' is both {slots[name]} and {class_name}")
        if name not in slots:
            raise ValueError(f"slot '{name}' has no class; write {{{name}:CLASS}} at its first use")
        return SourceSlot(name, int(part or 0), attribute or "")
    match = _SOURCE_WORD.fullmatch(token)
    if match is None:
        raise ValueError(f"cannot read the Chinese word '{token}'")
    word, gloss = match.groups()
    return SourceWord(word, (gloss or "").replace("_", " ").replace("o'", "o '"))
