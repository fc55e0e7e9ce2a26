"""Both languages of the phrasebook are right, in every sentence of its corpus."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from random import Random

import pytest

from tunesmith.corpus.phrasebook import Phrasebook, PhrasebookCorpus
from tunesmith.corpus.phrasebook.derivation import Derivation
from tunesmith.corpus.phrasebook.english import Person
from tunesmith.corpus.phrasebook.grammar import SourceSlot, Word, words_of_rule
from tunesmith.corpus.phrasebook.realise import references

VOWEL_SOUND = tuple("aeiou")
SILENT_H = ("hour", "honest", "honor")
CONSONANT_SOUND = ("university", "uniform", "european", "useful", "used", "one", "usual", "unit")


def english_lines(corpus: PhrasebookCorpus) -> list[str]:
    lines = [pair.target for pair in corpus.train]
    for sentences in corpus.evaluation().values():
        lines += [ref for sentence in sentences for ref in sentence.references]
    return lines


def test_english_is_clean(corpus: PhrasebookCorpus) -> None:
    for line in english_lines(corpus):
        assert line == line.lower() == " ".join(line.split())
        assert not set(line) & set("{}[]()|*@_<>/=")
        assert line[-1] in ".?"


def test_chinese_is_clean(corpus: PhrasebookCorpus) -> None:
    for pair in corpus.train:
        assert pair.source == " ".join(pair.source.split())
        assert pair.source[-1] in "。？"
        assert not set(pair.source) & set("{}[]()|*@_<>/=.,?!")
        words = pair.source.split()
        assert ("了", "了") not in itertools.pairwise(words)


def test_indefinite_article_fits_the_next_word(corpus: PhrasebookCorpus) -> None:
    for line in english_lines(corpus):
        for article, word in itertools.pairwise(line.split()):
            if article in ("a", "an"):
                vowel = word.startswith(VOWEL_SOUND) and not word.startswith(CONSONANT_SOUND)
                assert (article == "an") == (vowel or word.startswith(SILENT_H)), line


Drawn = tuple[Derivation, list[str]]


@pytest.fixture(scope="session")
def drawn(grammar: Phrasebook) -> list[Drawn]:
    """Sentences of every pattern with some of their realisations."""
    random = Random(11)
    sentences = [grammar.derive(random, p, held_out_rate=0.2) for p in grammar.patterns for _ in range(25)]
    return [(sentence, references(sentence, grammar.morphology, random, 4)) for sentence in sentences]


def nodes(grammar: Phrasebook, *names: str) -> Iterator[Derivation]:
    """The entries without slots of some classes."""
    for name in names:
        symbol = grammar.classes[name]
        yield from (Derivation(rule, symbol, {}) for rule in symbol.rules if rule.lexical)


def spoken(grammar: Phrasebook, node: Derivation) -> set[str]:
    return set(references(node, grammar.morphology, Random(1), 16))


OF_FIRST = ("am", "'m")
OF_THIRD = ("is", "has", "does", "doesn", "isn", "hasn", "was", "wasn")
OF_OTHERS = ("are", "aren", "have", "haven", "do", "don", "were", "weren", "'re", "'ve")
BOTH_NUMBERS = ("have", "do")  # also infinitives: "did he have", "let him do"
AUXILIARIES = frozenset(
    (
        *("do", "does", "did", "will", "would", "can", "could", "shall", "should", "may", "must", "to", "let"),
        *("not", "nor", "didn", "don", "doesn", "'t", "'ll", "'d"),
    )
)


def test_agreement_holds(grammar: Phrasebook, corpus: PhrasebookCorpus) -> None:
    """No subject the grammar knows stands before a verb of another person or number."""
    last = {
        text.split()[-1]
        for node in nodes(grammar, "NAME", "FAMILY", "KIN", "JOB")
        for text in spoken(grammar, node)
    }
    verbs = {
        word.text
        for symbol in grammar.classes.values()
        for rule in symbol.rules
        for word in words_of_rule(rule)
        if isinstance(word, Word) and word.head and symbol.name in ("VP", "VO", "LVP", "GOVP", "TASK", "SOCIAL")
    } - {"let", "read", "put", "cut", "be"} | {"like", "want", "know", "think"}
    inflected = {grammar.morphology.verb(verb, "pres", Person("3s")) for verb in verbs}
    checked = 0
    for line in english_lines(corpus):
        words = ["", "", *line.split()]
        for before, subject, verb in zip(words, words[1:], words[2:], strict=False):
            if before == "and" or (" and " in line and subject in last):
                continue
            inverted = not AUXILIARIES.isdisjoint(words[: words.index(subject) + 1])
            if subject == "i":
                assert verb not in (*OF_THIRD[:5], "'s", "are", "aren", "were", *inflected), line
            elif subject in ("we", "they", "you"):
                assert verb not in (*OF_THIRD, *OF_FIRST, *inflected), line
            elif subject in ("he", "she", "everyone"):
                assert verb not in OF_FIRST, line
                assert verb not in OF_OTHERS or (verb in BOTH_NUMBERS and before in AUXILIARIES), line
                assert verb not in verbs or before in AUXILIARIES, line
            elif subject in last:
                assert verb not in OF_FIRST, line
                assert verb not in OF_OTHERS or inverted, line
            else:
                continue
            checked += 1
    assert checked > 10000
    for line in english_lines(corpus):
        for pair in itertools.pairwise(line.split()):
            assert pair not in {("a", "a"), ("the", "the"), ("to", "to"), ("the", "a"), ("a", "the")}, line


def test_you_is_said_only_to_a_listener(drawn: list[Drawn]) -> None:
    """`you` and `your` stand for 你, 您 or 你们, or a rule says them outright, or speaks to the listener."""
    for sentence, lines in drawn:
        if {"你", "您", "你们"} & set(sentence.source().split()) or "addressed" in sentence.rule.attributes:
            continue
        outright = any(
            isinstance(word, Word) and word.text in ("you", "your")
            for node in sentence
            for word in words_of_rule(node.rule)
        )
        if not outright:
            assert not {"you", "your", "yourself"} & {word for line in lines for word in line.split()}, lines


def test_places_have_their_article(grammar: Phrasebook, corpus: PhrasebookCorpus) -> None:
    classes = ("PLACE", "LARGEPLACE", "WORKPLACE", "SHOP", "EATERY", "CITYSPOT", "ROOM", "MUSEUM")
    names: set[str] = set()
    for node in nodes(grammar, *classes):
        if not node.attribute("proper"):
            names |= spoken(grammar, node)
    names.remove("school")  # "go to school" is right
    either = "|".join(sorted(names))
    bare = re.compile(rf" (?:at|from|to(?! park )) (?:{either}) ")  # "to park" is a verb
    assert " at railway station in hangzhou" in {f" at {name} in hangzhou" for name in names}
    for line in english_lines(corpus):
        assert not bare.search(f" {line} "), line


def test_nobody_is_named_twice(drawn: list[Drawn]) -> None:
    for sentence, lines in drawn:
        names = [node.rule.id for node in sentence if node.symbol.name == "NAME"]
        assert len(names) == len(set(names)), lines
        assert len({"你", "您", "你们"} & set(sentence.source().split())) <= 1


def test_times_do_not_collide(grammar: Phrasebook, corpus: PhrasebookCorpus) -> None:
    times: set[str] = set()
    for node in nodes(grammar, "PAST", "FUTURE", "PASTDAY", "FUTUREDAY"):
        times |= spoken(grammar, node)
    either = "|".join(sorted(times, key=len, reverse=True))
    collision = re.compile(rf" (?:{either}) (?:{either}) ")
    assert collision.search(" i called the lawyer i met last week yesterday . ")
    for line in english_lines(corpus):
        assert not collision.search(f" {line} "), line


def test_adjectives_stand_before_the_noun_of_a_pair(corpus: PhrasebookCorpus) -> None:
    for line in english_lines(corpus):
        for before, word in itertools.pairwise(line.split()):
            if word == "pair":
                assert before in ("a", "the", "this", "that", "which", "whose") or before.endswith("er"), line


def test_a_little_is_said_of_nothing_good(drawn: list[Drawn]) -> None:
    for sentence, lines in drawn:
        if "有点" in sentence.source().split():
            assert not any("good" in node.rule.attributes for node in sentence), lines


def test_measure_words_are_known(drawn: list[Drawn]) -> None:
    for sentence, lines in drawn:
        for node in sentence:
            for item in (item for part in node.rule.sources[node.variant] for item in part):
                if isinstance(item, SourceSlot) and item.attribute:
                    assert node.children[item.name].attribute(item.attribute, item.part), lines


def test_counted_nouns_are_plural(corpus: PhrasebookCorpus) -> None:
    for line in english_lines(corpus):
        words = line.split()
        for number, noun in itertools.pairwise(words):
            if number in ("two", "three", "ten", "several"):
                assert noun not in ("book", "ticket", "day", "apple", "cup", "bottle"), line
