"""A derivation for users: its rules, as a tree or as a row of phrases, and where the score comes from."""

from __future__ import annotations

from collections.abc import Iterator

from tunesmith.cli.table import plain_table
from tunesmith.decoding import Decoder, RuleApplication, Translation
from tunesmith.decoding.described_rules import rule_text


def explain(number: int, line: str, translation: Translation, decoder: Decoder) -> Iterator[str]:
    """Yield lines of text: source and translation, the rules, a table of features; an empty line at the end.

    Rules of hierarchical models are a tree; those of searches that append stand in the order of the translation.
    """
    yield f"line {number}: {line}"
    yield f"translation: {translation.text}"
    if translation.alignment:
        yield "alignment: " + " ".join(f"{s}-{t}" for s, t in translation.alignment)
    yield f"score: {translation.score:.4f}"
    yield ""
    words = line.split()
    shown = len(decoder.language_models)
    steps = (
        ((step, 0) for step in reversed(list(translation.derivation)))
        if decoder.appends
        else _nested(translation.derivation, 0)
    )
    yield from plain_table(
        ["span  rule", "own score", *(f"{name} (value)" for name in decoder.language_models)],
        [_row(step, depth, translation, words)[: 2 + shown] for step, depth in steps],
    )
    yield ""
    weights = decoder.weights
    rows = []
    for feature, value in translation.feature_values().items():
        weight = float(weights[feature])
        rows.append([decoder.index.name(feature), f"{value:.4f}", f"{weight:.4f}", f"{value * weight:.4f}"])
    yield from plain_table(["feature", "value", "weight", "score"], rows)
    yield ""


def _nested(step: RuleApplication, depth: int) -> Iterator[tuple[RuleApplication, int]]:
    yield step, depth
    for part in step.parts:
        yield from _nested(part, depth + 1)


def _row(step: RuleApplication, depth: int, translation: Translation, words: list[str]) -> list[str]:
    place = f"{'  ' * depth}{step.begin}-{step.end}"
    return [
        f"{place}  {rule_text(step, translation, words)}",
        f"{step.local:.4f}",
        *(f"{value:.4f}" for value in step.states),
    ]
