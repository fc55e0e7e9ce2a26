"""Small random phrase-based models for tests of the decoder."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from reference.exhaustive_phrase import Derivation, PhraseTable, distortion, ranked, reordering

from support.models.hiero_models import language_model_value
from support.models.small_models import SOURCE, TARGET, random_language_model, set_random_weights
from tunesmith.decoding import PhraseDecoder, StackOptions, Translation
from tunesmith.features import FeatureSet, SpecialRule
from tunesmith.grammar import RuleTable
from tunesmith.grammar.moses import read_moses
from tunesmith.io import write_lines
from tunesmith.lm import NgramModel

ALL = StackOptions(pop_limit=65535, stack_limit=65535, table_limit=0, distortion_limit=-1)
MSD = tuple(f"{side}-{name}" for side in ("previous", "next") for name in ("monotone", "swap", "discontinuous"))


@dataclass(frozen=True)
class SmallModel:
    """A table, a language model and random weights, and how the exhaustive decoder scores with them."""

    table: RuleTable
    lm: NgramModel
    decoder: PhraseDecoder
    reordering: NDArray[np.float32]

    def grammar(self, walls: frozenset[str] = frozenset()) -> PhraseTable:
        """For the exhaustive decoder, with the limits of this one."""
        options = self.decoder.options
        assert isinstance(options, StackOptions)
        limit = None if options.distortion_limit < 0 else options.distortion_limit
        rules = {(rule.source, rule.target): number for number, rule in enumerate(self.table)}
        return PhraseTable(rules, options.max_length, limit, walls)

    def values(self, found: Derivation) -> NDArray[np.float64]:
        """All features of a derivation, from its phrases alone."""
        index, features = self.decoder.index, self.decoder.features
        values = np.zeros(len(index))
        rules = len(self.table)
        for rule in [rules + 2, rules + 3, *(rule for rule, _, _ in found.phrases)]:
            for id, value in features.row(rule):
                values[id] += value
        by_name = {"distortion": distortion(found.phrases)}
        if "lm" in self.decoder.language_models:
            by_name["lm"] = language_model_value(self.lm, found.words)
        columns = self.table.reordering_columns
        blocks = self.table.reordering_model == "hier"
        sums = reordering(found.phrases, columns, self.reordering, blocks=blocks)
        by_name |= {f"reordering:{column}": value for column, value in zip(columns, sums, strict=True)}
        for name, value in by_name.items():
            if (at := index.find(name)) is not None:
                values[at] = value
        return values

    def score(self, found: Derivation) -> float:
        """Weights times features."""
        return float(self.values(found) @ self.decoder.weights)

    def ranked(self, words: Sequence[str]) -> list[tuple[float, Derivation]]:
        """All derivations with their scores, best first."""
        return ranked(self.grammar(), words, self.score)

    def recomputed(self, one: Translation) -> NDArray[np.float64]:
        """All features of a translation, from its phrases alone."""
        return self.values(Derivation(tuple(one.text.split()), phrases_of(one)))


def phrases_of(one: Translation) -> tuple[tuple[int, int, int], ...]:
    """The phrases in the order of the translation: rule, begin, end."""
    steps = list(one.derivation)[::-1]
    assert [one.rule(steps[0]), one.rule(steps[-1])] == [SpecialRule.begin, SpecialRule.end]
    return tuple((step.rule, step.begin, step.end) for step in steps[1:-1])


def assert_is_derivation(model: SmallModel, allowed: PhraseTable, one: Translation, source: Sequence[str]) -> None:
    """Each word is covered once, the words are those of the phrases, jumps are within the limit."""
    covered: set[int] = set()
    target: list[str] = []
    last_end = 0
    for rule, begin, end in phrases_of(one):
        gap = next(at for at in range(len(source)) if at not in covered)
        if begin != gap and allowed.limit is not None:
            assert abs(begin - last_end) <= allowed.limit
            assert end - gap <= allowed.limit
        assert not covered & set(range(begin, end))
        covered |= set(range(begin, end))
        last_end = end
        if rule == len(model.table):
            assert end == begin + 1
            assert any(link == (begin, len(target)) for link in one.alignment)
            target.append(source[begin])
        else:
            assert model.table[rule].source == tuple(source[begin:end])
            for at, to in model.table[rule].links:
                assert (begin + at, len(target) + to) in one.alignment
            target += model.table[rule].target
    assert covered == set(range(len(source)))
    assert target == one.text.split()


def random_phrases(source: random.Random, count: int) -> list[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Different phrase pairs; some words have none of their own."""
    phrases = set()
    while len(phrases) < count:
        left = tuple(source.choices(SOURCE, k=source.choice([1, 1, 1, 2, 2, 3])))
        right = tuple(source.choices(TARGET, k=source.choice([1, 1, 2, 3])))
        phrases.add((left, right))
    return sorted(phrases)


class GivenReordering(RuleTable):
    """A table with reordering probabilities, and labels if it is given some, that are not on disk."""

    values: NDArray[np.float32]
    masks: NDArray[np.uint64] | None = None
    domains: list[str] = []  # noqa: RUF012 (given before it is used)
    model = "word"
    columns: list[str] = []  # noqa: RUF012 (given before it is used)

    @property
    def reordering(self) -> NDArray[np.float32]:
        """As given."""
        return self.values

    def array(self, name: str) -> NDArray[Any]:
        """The reordering and labels as given, other arrays as they are on disk."""
        if name == "labels" and self.masks is not None:
            return self.masks
        return self.values if name == "reordering" else super().array(name)

    def has_labels(self) -> bool:
        """Whether there are labels."""
        return self.masks is not None

    @property
    def label_names(self) -> list[str]:
        """As given."""
        return self.domains

    @property
    def reordering_columns(self) -> list[str]:
        """As given."""
        return self.columns

    @property
    def reordering_model(self) -> str:
        """As given."""
        return self.model


def small_model(
    folder: Path, seed: int, *, lm: bool = True, count: int = 10, options: StackOptions = ALL, order: int = 3,
    state_features: Sequence[str] = ("distortion", "reordering"), columns: Sequence[str] = MSD,
    reordering_model: str = "word", most_seen: int = 1,
) -> SmallModel:  # fmt: skip
    """A model made from a seed; its rules were seen 1 to `most_seen` times."""
    source, seen = random.Random(seed), random.Random(seed)
    lines = []
    for left, right in random_phrases(source, count):
        numbers = " ".join(f"{source.uniform(0.05, 1):.6g}" for _ in range(4))
        counts = f"9 9 {seen.randint(1, most_seen)}"
        lines.append(f"{' '.join(left)} ||| {' '.join(right)} ||| {numbers} ||| 0-0 ||| {counts} ||| |||")
    write_lines(folder / f"{seed}.txt", lines)
    read_moses(folder / f"{seed}.txt", folder / f"{seed}.rules", "phrase")
    table = GivenReordering.open(folder / f"{seed}.rules")
    assert isinstance(table, GivenReordering)
    numbers_of_rules = (len(table), len(columns))
    table.values = np.array(
        [math.log(source.uniform(0.05, 1)) for _ in range(math.prod(numbers_of_rules))], np.float32
    ).reshape(numbers_of_rules)
    table.columns, table.model = list(columns), reordering_model
    model = random_language_model(source, order)
    features = FeatureSet.parse("translation,word_penalty,rule_penalty,unknown,id").compile(table)
    models = {"lm": model} if lm else {}
    decoder = PhraseDecoder(table, features, models, options=options, state_features=state_features)
    set_random_weights(decoder, source)
    return SmallModel(table, model, decoder, table.values)
