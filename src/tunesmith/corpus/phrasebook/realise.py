"""English realisations of a derivation: one at random, or many distinct ones."""

from __future__ import annotations

from random import Random

from tunesmith.corpus.phrasebook.derivation import Derivation
from tunesmith.corpus.phrasebook.english import (
    ADDRESSEE,
    ADJECTIVE_FORMS,
    NOUN_FORMS,
    PERSON_FORMS,
    VERB_FORMS,
    Morphology,
    Person,
    finish,
)
from tunesmith.corpus.phrasebook.grammar import Alternative, Slot, Template, Word

DRAWS_WITHOUT_NEWS = 70
"""Draws in a row without a new reference after which a sentence is taken to have no more."""


class Realiser:
    """One realisation. Alternatives are drawn once per constituent, so its parts fit together.

    `random` None takes the first option everywhere; `flat` draws options evenly, otherwise the
    k-th has weight 1/k, so that training prefers some wordings as people do.
    """

    def __init__(self, morphology: Morphology, random: Random | None, *, flat: bool) -> None:
        self._morphology = morphology
        self._random = random
        self._flat = flat
        self._taken: dict[int, Alternative] = {}

    def sentence(self, derivation: Derivation) -> str:
        """Return the English sentence, tokenised, lower case."""
        return finish(self._whole(derivation, 0, "", None))

    def _whole(self, node: Derivation, part: int, form: str, subject: Derivation | None) -> list[str]:
        """Return tokens of a constituent in a form: explicit forms first, then the systems of forms."""
        explicit = node.rule.attributes.get(form)
        if explicit is not None:
            return explicit.split()
        if form in PERSON_FORMS:
            return self._personal(node, part, form, subject)
        if form in NOUN_FORMS and form not in ("sg", "pl"):
            return self._nominal(node, part, form, subject)
        if form in ADJECTIVE_FORMS:
            return self._compared(node, part, form, subject)
        return self._parts(node, part, form, subject)

    def _parts(self, node: Derivation, part: int, form: str, subject: Derivation | None) -> list[str]:
        alternative = self._taken.get(id(node))
        if alternative is None:
            alternative = node.rule.alternatives[self._draw(len(node.rule.alternatives))]
            self._taken[id(node)] = alternative
        tokens: list[str] = []
        for template in alternative if part == 0 else alternative[part - 1 : part]:
            tokens += self._template(template, node, form, subject)
        return tokens

    def _personal(self, node: Derivation, part: int, form: str, subject: Derivation | None) -> list[str]:
        person = node.person()
        if form == "refl" or form.startswith("pron") or person.pronoun:
            column = {"subj": 0, "pron": 0, "obj": 1, "pronobj": 1, "poss": 2, "pronposs": 2}
            return [person.pronouns()[column.get(form, 3)]]
        plain = self._parts(node, part, "", subject)
        if form != "poss":
            return plain
        return [*plain, "'" if person.number == "3p" and plain[-1].endswith("s") else "'s"]

    def _compared(self, node: Derivation, part: int, form: str, subject: Derivation | None) -> list[str]:
        """Return comparative or superlative; `cmp=bigger` in the entry gives the superlative as well."""
        explicit = node.attribute("cmp", part).split()
        if not explicit:
            more = ["more" if form == "cmp" else "most"]
            return more + self._parts(node, part, "", subject)
        if form == "sup":
            explicit[0] = explicit[0].removesuffix("er") + "est"
        return explicit

    def _nominal(self, node: Derivation, part: int, form: str, subject: Derivation | None) -> list[str]:
        if form in ("at", "to"):
            preposition = node.attribute("prep", part) or "at" if form == "at" else "to"
            return [*preposition.split(), *self._whole(node, part, "the", subject)]
        if node.attribute("proper", part):
            return self._parts(node, part, "sg", subject)
        measure = node.attribute("measure", part)
        countable = node.countable(part)
        singular = self._parts(node, part, "sg", subject)
        if form == "the":
            return ["the", *singular]
        if form == "thepl":
            return ["the", *self._parts(node, part, "pl", subject)]
        if form == "a":
            if node.attribute("bare", part):
                return self._parts(node, part, "pl", subject)
            return ["a", *singular] if countable else singular
        if form == "some":
            return ["some", *self._parts(node, part, "pl", subject)]
        if form == "many":
            plural = self._parts(node, part, "pl", subject)
            return ["many" if countable else "much", *plural]
        if countable:
            if form == "num":
                return self._parts(node, part, "pl", subject)
            return ["a", *singular] if form == "one" else singular
        counted = measure or "piece"
        if form == "num":
            return [self._morphology.plural(counted), "of", *singular]
        return [*(["a"] if form == "one" else []), counted, "of", *singular]

    def _template(self, template: Template, node: Derivation, form: str, subject: Derivation | None) -> list[str]:
        tokens: list[str] = []
        for item in template:
            if isinstance(item, Word):
                tokens += self._word(item, node, form, subject).split()
            elif isinstance(item, Slot):
                tokens += self._slot(item, node, form, subject)
            else:
                option = item.options[self._draw(len(item.options))]
                tokens += self._template(option, node, form, subject)
        return tokens

    def _word(self, word: Word, node: Derivation, form: str, subject: Derivation | None) -> str:
        if word.agrees:
            owner = subject if word.agrees == "@" else node.children[word.agrees]
            return self._morphology.agree(word.text, _person(owner))
        if not word.head:
            return word.text
        if form == "pl":
            return self._morphology.plural(word.text)
        if form in VERB_FORMS:
            return self._morphology.verb(word.text, form, _person(subject))
        return word.text

    def _slot(self, slot: Slot, node: Derivation, form: str, subject: Derivation | None) -> list[str]:
        if slot.name == "@":
            column = {"subj": 0, "obj": 1, "poss": 2, "refl": 3}[slot.form or "poss"]
            return [_person(subject).pronouns()[column]]
        if slot.subject and slot.subject != "@":
            subject = node.children[slot.subject]
        asked = slot.form
        if slot.head and form and (not asked or (form in VERB_FORMS) == (asked in VERB_FORMS)):
            asked = form
        return self._whole(node.children[slot.name], slot.part, asked, subject)

    def _draw(self, options: int) -> int:
        if self._random is None or options == 1:
            return 0
        if self._flat:
            return int(self._random.random() * options)
        point = self._random.random() * sum(1.0 / rank for rank in range(1, options + 1))
        for index in range(options - 1):
            point -= 1.0 / (index + 1)
            if point < 0.0:
                return index
        return options - 1


def _person(node: Derivation | None) -> Person:
    return ADDRESSEE if node is None else node.person()


def realise(derivation: Derivation, morphology: Morphology, random: Random) -> str:
    """Return one English sentence, drawn as in training."""
    return Realiser(morphology, random, flat=False).sentence(derivation)


def references(derivation: Derivation, morphology: Morphology, random: Random, limit: int) -> list[str]:
    """Return up to `limit` different English sentences; the first is drawn as in training."""
    found = [realise(derivation, morphology, random)]
    known = set(found)
    stale = 0
    while len(found) < limit and stale < DRAWS_WITHOUT_NEWS:
        sentence = Realiser(morphology, random, flat=True).sentence(derivation)
        stale += 1
        if sentence not in known:
            known.add(sentence)
            found.append(sentence)
            stale = 0
    return found
