"""A derivation as data for people: its rules, and where the score comes from."""

from __future__ import annotations

import msgspec

from tunesmith.decoding.decoder import Decoder
from tunesmith.decoding.described_rules import rule_text
from tunesmith.decoding.translation import RuleApplication, Translation
from tunesmith.features.names import template_of
from tunesmith.features.start import is_dense


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule of a derivation.   depth: in the tree.   begin, end: of its source span.   local: its own score.

    states: unweighted values of the language models.
    """

    depth: int
    begin: int
    end: int
    rule: str
    local: float
    states: tuple[float, ...]


class Contribution(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a feature adds to the score: value × weight."""

    feature: str
    value: float
    weight: float


class Explanation(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A translation: tokens, links of source and target, the rules in the order they are shown, all features."""

    text: str
    alignment: tuple[tuple[int, int], ...]
    score: float
    steps: tuple[Step, ...]
    features: tuple[Contribution, ...]


def explained(line: str, translation: Translation, decoder: Decoder) -> Explanation:
    """Return the explanation of a translation of this line.

    Rules of hierarchical models are a tree; those of searches that append are in the order of the translation.
    Features that get numbers when they are met are in the order of their names, which every process has alike.
    """
    words, derivation = line.split(), translation.derivation
    steps = [(each, 0) for each in reversed(list(derivation))] if decoder.appends else list(_nested(derivation))
    weights, index = decoder.weights, decoder.index
    named = sorted(
        ((feature, index.name(feature), value) for feature, value in translation.feature_values().items()),
        key=lambda each: _place(each[0], each[1], decoder),
    )
    return Explanation(
        translation.text,
        tuple(translation.alignment),
        translation.score,
        tuple(
            Step(depth, each.begin, each.end, rule_text(each, translation, words), each.local, each.states)
            for each, depth in steps
        ),
        tuple(Contribution(name, value, float(weights[feature])) for feature, name, value in named),
    )


def _nested(derivation: RuleApplication) -> list[tuple[RuleApplication, int]]:
    found, stack = [], [(derivation, 0)]
    while stack:
        step, depth = stack.pop()
        found.append((step, depth))
        stack.extend((part, depth + 1) for part in reversed(step.parts))
    return found


def _place(feature: int, name: str, decoder: Decoder) -> tuple[bool, int, str]:
    fixed = feature < decoder.features.columns or name in decoder.language_models or is_dense(template_of(name))
    return (False, feature, "") if fixed else (True, 0, name)
