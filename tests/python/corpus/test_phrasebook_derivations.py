"""Derivations of the phrasebook: what is drawn and realised, three by hand, and the forms of words."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tunesmith.corpus.phrasebook import Phrasebook
from tunesmith.corpus.phrasebook.derivation import Derivation
from tunesmith.corpus.phrasebook.english import Morphology, Person, takes_an
from tunesmith.corpus.phrasebook.realise import Realiser, references
from tunesmith.corpus.phrasebook.reordering import farthest_jump


def test_every_rule_can_be_drawn(grammar: Phrasebook) -> None:
    """Every class is reached from the patterns, and every rule has a chance in its class."""
    reached = {"SENTENCE"}
    queue = ["SENTENCE"]
    while queue:
        for rule in grammar.classes[queue.pop()].rules:
            assert rule.weight > 0
            new = [name for name in rule.slots.values() if name not in reached]
            reached.update(new)
            queue += new
    assert reached == set(grammar.classes)


def test_every_rule_is_realised_without_error(grammar: Phrasebook) -> None:
    random = Random(5)
    for pattern in grammar.patterns:
        for _ in range(3):
            derivation = grammar.derive(random, pattern, held_out_rate=0.3)
            assert all(references(derivation, grammar.morphology, random, 4))


def held_out_words(grammar: Phrasebook) -> set[str]:
    rules = [rule for symbol in grammar.classes.values() for rule in symbol.rules]
    return {rule.id for rule in rules if rule.held_out}


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10**6))
def test_training_never_uses_a_held_out_entry(grammar: Phrasebook, seed: int) -> None:
    kept = held_out_words(grammar)
    assert not any(node.rule.id in kept for node in grammar.derive(Random(seed)))


def build(grammar: Phrasebook, name: str, **children: Derivation) -> Derivation:
    """The derivation of the pattern or the entry whose Chinese side starts with `name`."""
    for symbol in grammar.classes.values():
        for rule in symbol.rules:
            node = Derivation(rule, symbol, children)
            if rule.id == name or (
                ":" in name
                and name.split(":")[0] == symbol.name
                and set(rule.slots) == set(children)
                and node.source() == name.split(":")[1]
            ):
                return node
    raise AssertionError(f"no rule {name}")


def everything(grammar: Phrasebook, derivation: Derivation) -> set[str]:
    return set(references(derivation, grammar.morphology, Random(1), 64))


def who(grammar: Phrasebook, pronoun: str) -> Derivation:
    return build(grammar, f"WHO:{pronoun}", p=build(grammar, f"PRON:{pronoun}"))


def test_past_action_by_hand(grammar: Phrasebook) -> None:
    play = build(grammar, "VP:打 篮球", g=build(grammar, "GAME:篮球"))
    sentence = build(
        grammar,
        "past",
        who=who(grammar, "他们"),
        t=build(grammar, "PAST:昨天"),
        a=build(grammar, "ACT:打 篮球", v=play),
    )
    assert sentence.source() == "他们 昨天 打 了 篮球 。"
    assert everything(grammar, sentence) == {
        "they played basketball yesterday .",
        "yesterday , they played basketball .",
    }


def test_relative_clause_by_hand(grammar: Phrasebook) -> None:
    read = build(grammar, "VO:看 小说", b=build(grammar, "BOOK:小说"))
    sentence = build(
        grammar,
        "rel_question",
        who=build(grammar, "WHO:她", p=build(grammar, "PRON:她")),
        t=build(grammar, "PAST:前天"),
        v=read,
    )
    assert sentence.source() == "她 前天 看 的 小说 在 哪儿 ？"
    assert everything(grammar, sentence) == {
        "where is the novel she read the day before yesterday ?",
        "where is the novel that she read the day before yesterday ?",
    }


def test_possessive_and_passive_by_hand(grammar: Phrasebook) -> None:
    mother = build(grammar, "FAMILY:我 妈妈", w=build(grammar, "OWNER:我"), k=build(grammar, "KIN:妈妈"))
    sentence = build(
        grammar,
        "bei_past",
        who=build(grammar, "WHO:我 妈妈", f=mother),
        b=build(grammar, "BELONGING:钱包"),
        t=build(grammar, "PAST:昨天"),
        r=build(grammar, "THIEF:小偷"),
        v=build(grammar, "STEAL:偷 走"),
    )
    assert sentence.source() == "我 妈妈 的 钱包 昨天 被 小偷 偷 走 了 。"
    assert {
        "my mother 's wallet was stolen by a thief yesterday .",
        "my mom 's wallet was stolen by a thief yesterday .",
    } <= everything(grammar, sentence)


def test_jump_counts_the_words_crossed(grammar: Phrasebook) -> None:
    """她 [前天] [看] [小说] 哪儿: `where` crosses all four other items."""
    sentence = build(
        grammar,
        "rel_question",
        who=who(grammar, "她"),
        t=build(grammar, "PAST:前天"),
        v=build(grammar, "VO:看 小说", b=build(grammar, "BOOK:小说")),
    )
    assert farthest_jump(sentence, grammar.morphology) == 4


def test_first_options_without_random(grammar: Phrasebook) -> None:
    sentence = build(grammar, "live", who=who(grammar, "他"), c=build(grammar, "CITY:北京"))
    text = Realiser(grammar.morphology, None, flat=True).sentence(sentence)
    assert text == "he lives in beijing ."


@pytest.mark.parametrize(
    ("word", "third", "past", "ing"),
    [
        ("play", "plays", "played", "playing"),
        ("watch", "watches", "watched", "watching"),
        ("study", "studies", "studied", "studying"),
        ("make", "makes", "made", "making"),
        ("go", "goes", "went", "going"),
        ("stop", "stops", "stopped", "stopping"),
        ("swim", "swims", "swam", "swimming"),
        ("be", "is", "was", "being"),
    ],
)
def test_verbs(grammar: Phrasebook, word: str, third: str, past: str, ing: str) -> None:
    he = Person("3s", "m", pronoun=True)
    forms = [grammar.morphology.verb(word, form, he) for form in ("pres", "past", "ing")]
    assert forms == [third, past, ing]


def test_nouns_and_articles() -> None:
    plain = Morphology({}, {"child": "children"})
    assert [plain.plural(noun) for noun in ("box", "city", "day", "child")] == [
        "boxes",
        "cities",
        "days",
        "children",
    ]
    assert [takes_an(word) for word in ("apple", "hour", "university", "book")] == [
        True,
        True,
        False,
        False,
    ]
