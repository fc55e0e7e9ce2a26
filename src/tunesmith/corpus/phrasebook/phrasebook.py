"""The grammar as a whole, and drawing derivations from it."""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tunesmith.corpus.phrasebook.check import depths_of
from tunesmith.corpus.phrasebook.derivation import Derivation
from tunesmith.corpus.phrasebook.english import Morphology
from tunesmith.corpus.phrasebook.grammar import SENTENCE, Rule, SymbolClass

MAX_DEPTH = 9
"""Depth below which only the rules that end soonest are drawn, so that no sentence runs away."""
EVALUATION_POWER = 0.3
"""Weights within a class (not of patterns) are raised to this for evaluation sentences: rare rules count for more
than in training, so that evaluation favours rare events."""
RETRIES = 8
"""Draws made to keep two slots of a rule from saying the same word."""

MISFITS = 200
"""Draws of a pattern made to find parts that fit together; far more than any pattern needs."""


@dataclass(frozen=True)
class _Table:
    """Rules with their cumulative weights, for drawing by bisection."""

    rules: tuple[Rule, ...]
    cumulative: tuple[float, ...]

    @staticmethod
    def of(rules: Sequence[Rule], power: float = 1.0) -> _Table:
        # Rounded, so that the last bit of a platform's pow() cannot change a corpus.
        weights = (round(rule.weight**power, 9) for rule in rules)
        return _Table(tuple(rules), tuple(itertools.accumulate(weights)))

    def draw(self, random: Random) -> Rule:
        point = random.random() * self.cumulative[-1]
        return self.rules[min(bisect.bisect_right(self.cumulative, point), len(self.rules) - 1)]


class Phrasebook:
    """The synchronous grammar: classes of rules (patterns in `SENTENCE`) and the morphology.

    Only `Random.random` is used for drawing: its sequence is the same in all Python versions.
    """

    def __init__(self, classes: Mapping[str, SymbolClass], morphology: Morphology) -> None:
        self.classes, self.morphology = classes, morphology
        depths = depths_of(classes)
        self._common: dict[str, _Table] = {}
        self._flat: dict[str, _Table] = {}
        self._held_out: dict[str, _Table] = {}
        self._shallow: dict[str, _Table] = {}
        for name, symbol in classes.items():
            seen = [rule for rule in symbol.rules if not rule.held_out]
            kept = [rule for rule in symbol.rules if rule.held_out]
            rules = seen or symbol.rules
            least = min(_depth(rule, depths) for rule in rules)
            self._common[name] = _Table.of(rules)
            self._flat[name] = _Table.of(rules, 1.0 if name == SENTENCE else EVALUATION_POWER)
            self._shallow[name] = _Table.of([rule for rule in rules if _depth(rule, depths) == least])
            if kept and seen:
                self._held_out[name] = _Table.of(kept)

    @staticmethod
    def load(directory: Path | None = None) -> Phrasebook:
        """Return the grammar in `directory`, or the built-in one."""
        from tunesmith.corpus.phrasebook.reader import load_phrasebook

        return load_phrasebook(directory)

    @property
    def patterns(self) -> tuple[Rule, ...]:
        return self.classes[SENTENCE].rules

    def derive(
        self, random: Random, rule: Rule | None = None, *, held_out_rate: float | None = None
    ) -> Derivation:
        """Draw a sentence (of pattern `rule`, if given).

        held_out_rate: None draws as for training, without held-out entries. A number draws as
        for evaluation, with flatter weights; it is the chance that a class with held-out
        entries gives one of them.
        """
        top = self._common if held_out_rate is None else self._flat
        pattern = rule or top[SENTENCE].draw(random)
        for _ in range(MISFITS):
            sentence = self._expand(pattern, random, held_out_rate, 0)
            if sentence.fits_together():
                break
        return sentence

    def _expand(self, rule: Rule, random: Random, rate: float | None, depth: int) -> Derivation:
        children: dict[str, Derivation] = {}
        said: list[str] = []
        for name, class_name in rule.slots.items():
            for _ in range(RETRIES):
                drawn = self._draw(class_name, random, rate, depth + 1)
                child = self._expand(drawn, random, rate, depth + 1)
                text = child.source()
                if text not in said:
                    break
            said.append(text)
            children[name] = child
        variant = int(random.random() * len(rule.sources)) if len(rule.sources) > 1 else 0
        return Derivation(rule, self.classes[rule.class_name], children, variant)

    def _draw(self, class_name: str, random: Random, rate: float | None, depth: int) -> Rule:
        if depth >= MAX_DEPTH:
            return self._shallow[class_name].draw(random)
        if rate is None:
            return self._common[class_name].draw(random)
        if rate > 0.0 and class_name in self._held_out and random.random() < rate:
            return self._held_out[class_name].draw(random)
        return self._flat[class_name].draw(random)


def _depth(rule: Rule, depths: Mapping[str, int]) -> int:
    return 1 + max((depths[name] for name in rule.slots.values()), default=0)
