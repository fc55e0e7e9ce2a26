"""English morphology: verb and noun forms, agreement, pronouns, a/an.

Regular forms by rule; irregular ones come from `data/irregular.txt`. Everything is lower case
and tokenised the Moses way, so a clitic is a separate token (`don 't`, `john 's`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

VERB_FORMS = ("base", "pres", "past", "ing", "pp")
NOUN_FORMS = ("sg", "pl", "a", "the", "thepl", "one", "unit", "num", "some", "many", "at", "to")
ADJECTIVE_FORMS = ("cmp", "sup")
PERSON_FORMS = ("subj", "obj", "poss", "refl", "pron", "pronobj", "pronposs")

_VOWELS = "aeiou"
_PERSONS = ("1s", "2s", "3s", "1p", "2p", "3p")
_PRONOUNS: Mapping[str, tuple[str, str, str, str]] = {
    "1s": ("i", "me", "my", "myself"),
    "2s": ("you", "you", "your", "yourself"),
    "3sm": ("he", "him", "his", "himself"),
    "3sf": ("she", "her", "her", "herself"),
    "3sn": ("it", "it", "its", "itself"),
    "3s": ("they", "them", "their", "themselves"),
    "1p": ("we", "us", "our", "ourselves"),
    "2p": ("you", "you", "your", "yourselves"),
    "3p": ("they", "them", "their", "themselves"),
}
_AGREEING: Mapping[str, tuple[str, str, str]] = {
    # word: (first singular, third singular, all others)
    "be": ("am", "is", "are"),
    "was": ("was", "was", "were"),
    "have": ("have", "has", "have"),
    "do": ("do", "does", "do"),
    "don't": ("don 't", "doesn 't", "don 't"),
    "isn't": ("am not", "isn 't", "aren 't"),
    "wasn't": ("wasn 't", "wasn 't", "weren 't"),
    "haven't": ("haven 't", "hasn 't", "haven 't"),
}
_CLITICS: Mapping[str, tuple[tuple[str, str, str], tuple[str, str, str]]] = {
    # clitic: (after a pronoun, after anything else)
    "'be": (("'m", "'s", "'re"), ("am", "is", "are")),
    "'have": (("'ve", "'s", "'ve"), ("have", "has", "have")),
    "'will": (("'ll", "'ll", "'ll"), ("will", "will", "will")),
    "'would": (("'d", "'d", "'d"), ("would", "would", "would")),
}


@dataclass(frozen=True)
class Person:
    """Properties of a subject that agreement and pronouns need."""

    number: str = "3s"
    sex: str = ""
    pronoun: bool = False

    def __post_init__(self) -> None:
        if self.number not in _PERSONS:
            raise ValueError(f"agr={self.number}: known are {', '.join(_PERSONS)}")

    def pronouns(self) -> tuple[str, str, str, str]:
        """Return subject, object, possessive and reflexive pronoun."""
        key = self.number + self.sex if self.number == "3s" else self.number
        return _PRONOUNS[key]


ADDRESSEE = Person("2s", pronoun=True)
"""The subject of an imperative."""


@dataclass(frozen=True)
class Morphology:
    """Irregular forms: verbs to (3s, past, participle, -ing), nouns to their plural."""

    verbs: Mapping[str, tuple[str, str, str, str]]
    nouns: Mapping[str, str]

    def verb(self, word: str, form: str, subject: Person) -> str:
        """Return `word` (a base form) in one of `VERB_FORMS`, agreeing with `subject`."""
        if form == "base":
            return word
        if form == "pres":
            return self.agree(word, subject)
        if word == "be" and form == "past":
            return self.agree("was", subject)
        _, past, participle, gerund = self._principal_parts(word)
        return {"past": past, "pp": participle, "ing": gerund}[form]

    def agree(self, word: str, subject: Person) -> str:
        """Return `word` in the present tense for `subject`; also `was`, `don't` and clitics (`'be`)."""
        column = {"1s": 0, "3s": 1}.get(subject.number, 2)
        if word in _CLITICS:
            return _CLITICS[word][0 if subject.pronoun else 1][column]
        if word in _AGREEING:
            return _AGREEING[word][column]
        return self._principal_parts(word)[0] if column == 1 else word

    def plural(self, word: str) -> str:
        if word in self.nouns:
            return self.nouns[word]
        if word.endswith(("s", "x", "z", "ch", "sh")):
            return word + "es"
        if word.endswith("y") and word[-2:-1] not in _VOWELS:
            return word[:-1] + "ies"
        return word + "s"

    def forms(self, word: str) -> tuple[str, ...]:
        """Return every form `word` may take as a verb or a noun, itself first."""
        return (word, *self._principal_parts(word), self.plural(word))

    def _principal_parts(self, word: str) -> tuple[str, str, str, str]:
        if word in self.verbs:
            return self.verbs[word]
        return (regular_third(word), regular_past(word), regular_past(word), regular_ing(word))


def regular_third(word: str) -> str:
    if word.endswith(("s", "x", "z", "ch", "sh", "o")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return word[:-1] + "ies"
    return word + "s"


def regular_past(word: str) -> str:
    """Return the past by rule: like → liked, try → tried, stop → stopped."""
    if word.endswith("e"):
        return word + "d"
    if word.endswith("y") and word[-2:-1] not in _VOWELS:
        return word[:-1] + "ied"
    return _doubled(word) + "ed"


def regular_ing(word: str) -> str:
    """Return the gerund by rule: make → making, sit → sitting, lie must be given as irregular."""
    if word.endswith("e") and not word.endswith(("ee", "oe", "ye")):
        return word[:-1] + "ing"
    return _doubled(word) + "ing"


def _doubled(word: str) -> str:
    """Return the word; a one-syllable word that ends consonant-vowel-consonant with its last letter doubled."""
    vowels = sum(letter in _VOWELS for letter in word)
    closed = len(word) >= 3 and word[-1] not in _VOWELS + "wxy" and word[-2] in _VOWELS
    return word + word[-1] if vowels == 1 and closed else word


_AN_ANYWAY = ("hour", "honest", "honor", "heir")
_A_ANYWAY = ("uni", "use", "usu", "euro", "one", "once", "ukulele", "utensil")
_UN_WORDS = ("unin", "unim", "unid")


def takes_an(word: str) -> bool:
    """Return whether the indefinite article before `word` is `an`: by sound, not by letter."""
    if word.startswith(_AN_ANYWAY):
        return True
    if word.startswith(_A_ANYWAY) and not word.startswith(_UN_WORDS):
        return False
    return word[:1] in _VOWELS


def finish(tokens: Sequence[str]) -> str:
    """Join rendered tokens: glue at `_`, choose a/an by the next word, one space between."""
    words = " ".join(token for token in tokens if token).replace(" _ ", "").split()
    for index, word in enumerate(words[:-1]):
        if word in ("a", "an"):
            words[index] = "an" if takes_an(words[index + 1]) else "a"
    return " ".join(words)
