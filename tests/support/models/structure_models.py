"""Small random models whose words have several forms, for tests of structural features."""

from __future__ import annotations

import random
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from reference.exhaustive_hiero import Grammar, Tree
from reference.exhaustive_phrase import PhraseTable
from reference.structure import Structure, Tokens

from support.models.hiero_models import ALL, ALL_LEFT_TO_RIGHT, moses_line, random_links, random_rules
from support.models.phrase_models import ALL as ALL_PHRASES
from support.models.phrase_models import random_phrases
from tunesmith.clustering import WordClasses
from tunesmith.decoding import HieroDecoder, LeftToRightDecoder, PhraseDecoder, Translation
from tunesmith.decoding.decoder import Decoder
from tunesmith.features import FeatureSet
from tunesmith.features.base import SearchFeature
from tunesmith.features.search.structure import Backtrack, Insertion, LinkBigrams, LinkPairs, ParentChild
from tunesmith.features.search.target_bigrams import TargetBigrams
from tunesmith.features.word_classes import classes_of
from tunesmith.grammar.moses import read_moses
from tunesmith.io import write_lines
from tunesmith.weights import Weights

Fired = tuple[tuple[str, float], ...]
WORDS = {
    **{"a": "violate", "b": "violence", "c": "2007", "d": "of", "z": "unheard"},
    **{"A": "v_late", "B": "1999-1", "C": "2010-1", "D": "inviolate", "E": "a|b"},
}
CLASSES = {
    "source": {"violate": "1", "violence": "1", "2007": "2", "of": "[X,1]"},
    "target": {"v_late": "1", "1999-1": "2", "2010-1": "2", "inviolate": "x_y", "a|b": "1"},
}


def weight_of(name: str) -> float:
    """Any weight, the same for the same name."""
    return zlib.crc32(name.encode()) / 2**31 - 1.0


@dataclass(frozen=True)
class StructureModel:
    """A decoder with structural features, and what looks at every derivation."""

    decoder: Decoder
    grammar: Grammar | PhraseTable
    structure: Structure

    def learn(self, names: Mapping[str, float]) -> None:
        """Random weights for these features and for those of rules."""
        known = {name: weight_of(name) for name in [*self.decoder.index, *names]}
        self.decoder.set_weights(Weights.from_mapping(known))
        assert self.decoder.unknown_weights == []

    def local(self, rule: int) -> float:
        """Weights times features of a rule."""
        return sum(value * weight_of(self.decoder.index.name(id)) for id, value in self.decoder.features.row(rule))


def templates(kind: str, tokens: str, combine: str) -> dict[str, SearchFeature]:
    """All that a search can have."""
    found: dict[str, SearchFeature] = {
        "link_pairs": LinkPairs(tokens, combine),
        "link_bigrams": LinkBigrams(tokens, combine),
        "insertion": Insertion(tokens, combine),
        "target_bigrams": TargetBigrams(tokens, combine),
    }
    if kind != "phrase":
        found |= {"parent_child": ParentChild(tokens, combine), "backtrack": Backtrack()}
    return found


def structure_model(
    folder: Path, seed: int, kind: str, *, tokens: str = "surface", combine: str = "full", count: int = 16
) -> StructureModel:
    """A model made from a seed; kind: of its search."""
    source = random.Random(seed)
    if kind == "phrase":
        rules = random_phrases(source, count)
    else:
        rules = random_rules(source, count, normal_form=kind == "left-to-right")
    lines = []
    for rule in rules:
        left, right = (tuple(WORDS.get(symbol, symbol) for symbol in side) for side in rule)
        lines.append(moses_line((left, right), [source.uniform(0.05, 1)] * 4, random_links(source, rule)))
    if kind == "phrase":
        lines = [line.replace("[X]", "").replace("  ", " ") for line in lines]
    write_lines(folder / f"{seed}.txt", lines)
    table = read_moses(folder / f"{seed}.txt", folder / f"{seed}.rules", "phrase" if kind == "phrase" else "hiero")
    for side in ("source", "target"):
        vocabulary = table.source_vocabulary if side == "source" else table.target_vocabulary
        table.word_classes[side] = classes_of(WordClasses(CLASSES[side]), vocabulary)
    features = FeatureSet.parse("translation,rule_penalty,unknown").compile(table)
    made, options = {
        "hiero": (HieroDecoder, ALL),
        "left-to-right": (LeftToRightDecoder, ALL_LEFT_TO_RIGHT),
        "phrase": (PhraseDecoder, ALL_PHRASES),
    }[kind]
    decoder = made(table, features, {}, options=options, state_features=templates(kind, tokens, combine))  # type: ignore[operator]
    numbers = {(rule.source, rule.target): number for number, rule in enumerate(table)}
    structure = Structure(table, Tokens(tokens.split("/"), combine == "paired", CLASSES))
    if kind == "phrase":
        return StructureModel(decoder, PhraseTable(numbers, ALL_PHRASES.max_length, None), structure)
    return StructureModel(decoder, Grammar(numbers, [0.0] * (len(numbers) + 4), 5), structure)


def described(
    one: Translation, names: Sequence[str]
) -> tuple[str, tuple[int, ...], tuple[tuple[str, float], ...]]:
    """What is compared of a derivation: text, rules, features of these templates."""
    fired = sorted((name, value) for name, value in one.named_features().items() if name.split(":")[0] in names)
    return one.text, tuple(sorted(one.rules)), tuple(fired)


def tree_of(phrase: tuple[int, int, int]) -> Tree:
    """A phrase as a derivation of one rule."""
    return Tree(*phrase)
