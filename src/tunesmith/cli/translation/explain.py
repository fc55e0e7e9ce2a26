"""A derivation for users: its rules, as a tree or as a row of phrases, and where the score comes from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from tunesmith.cli.table import plain_table

if TYPE_CHECKING:
    from tunesmith.decoding.explanation import Explanation, Step


def explain(number: int, line: str, found: Explanation, language_models: Sequence[str]) -> Iterator[str]:
    """Yield lines of text: source and translation, the rules, a table of features; an empty line at the end.

    language_models: names of their features.
    """
    yield f"line {number}: {line}"
    yield f"translation: {found.text}"
    if found.alignment:
        yield "alignment: " + " ".join(f"{s}-{t}" for s, t in found.alignment)
    yield f"score: {found.score:.4f}"
    yield ""
    yield from plain_table(
        ["span  rule", "own score", *(f"{name} (value)" for name in language_models)],
        [_row(step)[: 2 + len(language_models)] for step in found.steps],
    )
    yield ""
    yield from plain_table(
        ["feature", "value", "weight", "score"],
        [
            [each.feature, f"{each.value:.4f}", f"{each.weight:.4f}", f"{each.value * each.weight:.4f}"]
            for each in found.features
        ],
    )
    yield ""


def _row(step: Step) -> list[str]:
    place = f"{'  ' * step.depth}{step.begin}-{step.end}"
    return [f"{place}  {step.rule}", f"{step.local:.4f}", *(f"{value:.4f}" for value in step.states)]
