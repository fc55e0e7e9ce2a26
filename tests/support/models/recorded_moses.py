"""What Moses printed of the same model, and how it is compared with what we find."""

from __future__ import annotations

import gzip
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
import sacrebleu

from tunesmith.decoding import Translation

# Our features, in the order in which Moses prints the values of phrase-based models.
PHRASE_FEATURES = {
    "LexicalReordering0": [f"reordering:{side}-{name}" for side in ("previous", "next")
                           for name in ("monotone", "swap", "discontinuous")],
    "Distortion0": ["distortion"],
    "LM0": ["lm"],
    "WordPenalty0": ["word_penalty"],
    "PhrasePenalty0": ["rule_penalty"],
    "TranslationModel0": [f"translation:{name}" for name in ("p(f|e)", "lex(f|e)", "p(e|f)", "lex(e|f)")],
}  # fmt: skip


class Recorded(NamedTuple):
    """A line of a list: what Moses printed, values by the name of its feature function."""

    sentence: int
    words: str
    values: dict[str, list[float]]
    score: float
    rest: str


def recorded(path: Path) -> Iterator[Recorded]:
    """The lines of a list."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            number, words, values, score, *rest = line.split(" ||| ")
            named = {
                name: [float(value) for value in numbers.split()]
                for name, numbers in re.findall(r"(\w+)= ((?:[-\d.e]+ ?)+)", values)
            }
            yield Recorded(int(number), " ".join(words.split()), named, float(score), rest[0] if rest else "")


def last_digit(value: float) -> float:
    """Moses prints six digits of sums in single precision: one unit of the last digit."""
    return 0.0 if value == 0 else 10.0 ** (math.floor(math.log10(abs(value))) - 5)


def assert_printed(one: Translation, theirs: Recorded, names: Mapping[str, Sequence[str]]) -> None:
    """What a translation has is what Moses printed. names: our features in the order of its values."""
    ours = one.named_features()
    for name, numbers in theirs.values.items():
        for feature, value in zip(names[name], numbers, strict=True):
            assert ours.get(feature, 0.0) == pytest.approx(value, rel=0, abs=last_digit(value)), feature
    # The sum of parts of up to 20, in single precision.
    assert one.score == pytest.approx(theirs.score, rel=0, abs=max(last_digit(theirs.score), 1e-5))


def same_derivation(one: Translation, theirs: Recorded) -> bool:
    """As far as words and score tell."""
    return one.text == theirs.words and abs(one.score - theirs.score) < 1e-3


def bleu(lines: Sequence[str], references: Sequence[str]) -> float:
    """Of tokenised text."""
    return sacrebleu.corpus_bleu(lines, [references], tokenize="none", force=True).score


def mean(scores: Iterable[float]) -> float:
    """The model score that a search reaches."""
    scores = list(scores)
    return sum(scores) / len(scores)
