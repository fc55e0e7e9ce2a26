"""Small random hierarchical models for tests of the decoder."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from reference.exhaustive_hiero import GAPS, Derivation, Grammar, Symbols, ranked

from support.models.small_models import SOURCE, TARGET, random_language_model, set_random_weights
from tunesmith.decoding import DecoderOptions, HieroDecoder, LeftToRightDecoder, LeftToRightOptions, Translation
from tunesmith.decoding.decoder import Decoder
from tunesmith.features import FeatureSet
from tunesmith.grammar import RuleTable
from tunesmith.grammar.moses import read_moses
from tunesmith.io import write_lines
from tunesmith.lm import NgramModel

ALL = DecoderOptions(pop_limit=65535, max_span=5, table_limit=0)
ALL_LEFT_TO_RIGHT = LeftToRightOptions(pop_limit=65535, stack_limit=65535, max_span=5, table_limit=0)


@dataclass(frozen=True)
class SmallModel:
    """A table, a language model and random weights, with the same grammar for the exhaustive decoder."""

    table: RuleTable
    lm: NgramModel
    decoder: Decoder
    grammar: Grammar

    def ranked(self, words: Sequence[str]) -> list[tuple[float, Derivation]]:
        """All derivations with their scores, best first."""
        if "lm" not in self.decoder.language_models:
            return ranked(self.grammar, words, lambda _: 0.0)
        weight = self.decoder.weights[self.decoder.index.find("lm")]
        return ranked(self.grammar, words, lambda found: weight * language_model_value(self.lm, found))

    def recomputed(self, one: Translation) -> NDArray[np.float64]:
        """All features of a translation, from its rules and words alone."""
        values = np.zeros(len(self.decoder.index))
        for rule in one.rules:
            for id, value in self.decoder.features.row(rule):
                values[id] += value
        values[self.decoder.index.find("lm")] = language_model_value(self.lm, tuple(one.text.split()))
        return values


def random_rules(source: random.Random, count: int, *, normal_form: bool = False) -> list[tuple[Symbols, Symbols]]:
    """Different rules: words, one gap, two gaps in both orders; some words have none of their own.

    normal_form: target sides are words, then gaps.
    """
    rules = set()
    while len(rules) < count:
        gaps = source.choice([0, 0, 1, 1, 2])
        left = [source.choice(SOURCE) for _ in range(source.choice([1, 1, 2]))]
        right = [source.choice(TARGET) for _ in range(source.choice([1, 1, 2]))]
        for side in (left, right):
            for gap in GAPS[:gaps]:
                side.insert(source.randrange(len(side) + 1), gap)
        if normal_form:
            right.sort(key=lambda symbol: symbol in GAPS)
        order = [symbol for symbol in left if symbol in GAPS]
        if order == list(GAPS[:gaps]):
            rules.add((tuple(left), tuple(right)))
    return sorted(rules)


def random_links(source: random.Random, rule: tuple[Symbols, Symbols]) -> list[tuple[int, int]]:
    """Any links between the words of a rule: none, one or several a word."""
    words = [[at for at, symbol in enumerate(side) if symbol not in GAPS] for side in rule]
    return [(i, j) for i in words[0] for j in words[1] if source.random() < 0.5]


def moses_line(
    rule: tuple[Symbols, Symbols], scores: list[float], joined: Sequence[tuple[int, int]] | None = None
) -> str:
    """The rule as Moses writes it; joined: links of its words, by default between the first ones."""
    sides = [" ".join(f"[X]{symbol.replace(',1', '').replace(',2', '')}" if symbol in GAPS else symbol
                      for symbol in side) for side in rule]  # fmt: skip
    source, target = rule
    links = [f"{at}-{target.index(symbol)}" for at, symbol in enumerate(source) if symbol in GAPS]
    words = [at for at, symbol in enumerate(source) if symbol not in GAPS]
    first = next(at for at, symbol in enumerate(target) if symbol not in GAPS)
    links += [f"{i}-{j}" for i, j in ([(words[0], first)] if joined is None else joined)]
    numbers = " ".join(f"{score:.6g}" for score in scores)
    return f"{sides[0]} [X] ||| {sides[1]} [X] ||| {numbers} ||| {' '.join(links)} ||| 1 1 1 ||| |||"


def small_model(
    folder: Path, seed: int, *, lm: bool = True, count: int = 14,
    options: DecoderOptions | LeftToRightOptions = ALL, order: int = 3,
    state_features: tuple[str, ...] = (), normal_form: bool = False, many_links: bool = False,
) -> SmallModel:  # fmt: skip
    """A model made from a seed; the options say which search it has."""
    source = random.Random(seed)
    rules = random_rules(source, count, normal_form=normal_form)
    lines = []
    for rule in rules:
        scores = [source.uniform(0.05, 1) for _ in range(4)]
        lines.append(moses_line(rule, scores, random_links(source, rule) if many_links else None))
    write_lines(folder / f"{seed}.txt", lines)
    table = read_moses(folder / f"{seed}.txt", folder / f"{seed}.rules")
    model = random_language_model(source, order)
    features = FeatureSet.parse("default,id").compile(table)
    models = {"lm": model} if lm else {}
    made = LeftToRightDecoder if isinstance(options, LeftToRightOptions) else HieroDecoder
    decoder = made(table, features, models, options=options, state_features=state_features)
    weights = set_random_weights(decoder, source)
    numbers = {(rule.source, rule.target): number for number, rule in enumerate(table)}
    return SmallModel(table, model, decoder, Grammar(numbers, features.scores(weights), options.max_span))


def left_to_right_model(
    folder: Path, seed: int, *, options: LeftToRightOptions = ALL_LEFT_TO_RIGHT, **settings: Any
) -> SmallModel:
    """A model with rules in target normalised form for left-to-right search."""
    return small_model(folder, seed, options=options, normal_form=True, **settings)


def language_model_value(model: NgramModel, words: Symbols) -> float:
    """The value of the feature: natural logarithm, <s> and </s> included."""
    return float(model.score([" ".join(words)]).log10[0]) * math.log(10)
