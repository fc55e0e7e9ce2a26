"""Source words whose translation the context decides: read off the entries and glosses."""

from __future__ import annotations

from tunesmith.corpus.phrasebook.derivation import first_way
from tunesmith.corpus.phrasebook.english import Morphology
from tunesmith.corpus.phrasebook.grammar import Rule, SourceWord, Word
from tunesmith.corpus.phrasebook.phrasebook import Phrasebook

AMBIGUOUS_FROM = 3
"""Different translations from which a source word counts as ambiguous."""


def translations(grammar: Phrasebook) -> dict[str, list[str]]:
    """Return source word → its different translations, in order of first mention.

    A translation is the gloss of a word in a rule, or the first English alternative of a
    one-word entry. Paraphrases within a rule are one translation: context does not choose
    there. Articles, `to` and inflection make no difference: `play` and `playing` are one.
    """
    found: dict[str, list[str]] = {}
    for symbol in grammar.classes.values():
        for rule in symbol.rules:
            for word, english in _pairs(rule):
                known = found.setdefault(word, [])
                if not any(_same(english, other, grammar.morphology) for other in known):
                    known.append(english)
    return found


def _same(left: str, right: str, morphology: Morphology) -> bool:
    """Return whether two translations are forms of the same words."""
    a, b = ([word for word in text.split() if word not in ("a", "an", "the", "to")] for text in (left, right))
    return len(a) == len(b) and all(
        x in morphology.forms(y) or y in morphology.forms(x) for x, y in zip(a, b, strict=True)
    )


def ambiguous_words(grammar: Phrasebook) -> dict[str, list[str]]:
    """Return source words with at least `AMBIGUOUS_FROM` translations, most ambiguous first."""
    found = translations(grammar)
    many = [(word, known) for word, known in found.items() if len(known) >= AMBIGUOUS_FROM]
    return dict(sorted(many, key=lambda pair: (-len(pair[1]), pair[0])))


def _pairs(rule: Rule) -> list[tuple[str, str]]:
    pairs = []
    for source in rule.sources:
        words = [item for part in source for item in part]
        for item in words:
            if isinstance(item, SourceWord) and item.gloss:
                pairs.append((item.text, item.gloss))
        if len(words) == 1 and isinstance(words[0], SourceWord) and not words[0].gloss:
            english = " ".join(
                item.text
                for template in rule.alternatives[0]
                for item in first_way(template)
                if isinstance(item, Word)
            )
            pairs.append((words[0].text, english))
    return pairs
