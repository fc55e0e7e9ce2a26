"""Making answers from decodings: translations, n-best lists, derivations with feature scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tunesmith.decoding import Decoder, Decoding, RuleApplication, Translation
from tunesmith.decoding.described_rules import rule_text
from tunesmith.serving.messages import Candidate, Contribution, Explanation, RuleStep, Translated

if TYPE_CHECKING:
    from tunesmith.serving.served_model import Wanted

Texts = Callable[[str], str]
"""Converts tokens of a translation to the text of the answer."""


def answer(line: str, decoding: Decoding, decoder: Decoder, texts: Texts, wanted: Wanted) -> Translated:
    """Make the answer for one line of tokens."""
    best = decoding.best
    listed = wanted.nbest > 1 or wanted.features or wanted.alignment
    return Translated(
        text=texts(best.text),
        score=best.score,
        limited=decoding.limited or decoding.timed_out,
        nbest=[_candidate(each, texts, wanted) for each in decoding] if listed else None,
        explanation=_explanation(line, best, decoder) if wanted.explain else None,
    )


def _candidate(translation: Translation, texts: Texts, wanted: Wanted) -> Candidate:
    return Candidate(
        text=texts(translation.text),
        score=translation.score,
        features=translation.named_features() if wanted.features else None,
        alignment=translation.alignment if wanted.alignment else None,
    )


def _explanation(line: str, best: Translation, decoder: Decoder) -> Explanation:
    words, weights = line.split(), decoder.weights
    contributions = [
        Contribution(decoder.index.name(id), value, float(weights[id]), value * float(weights[id]))
        for id, value in best.feature_values().items()
    ]
    contributions.sort(key=lambda each: -abs(each.score))
    return Explanation(
        source=words,
        target=best.text.split(),
        alignment=best.alignment,
        derivation=_steps(best.derivation, best, words),
        contributions=contributions,
    )


def _steps(root: RuleApplication, translation: Translation, words: list[str]) -> list[RuleStep]:
    """Return the derivation as rows, each with the row of its parent, since derivations of long lines are deep."""
    rows: list[RuleStep] = []
    stack = [(root, -1)]
    while stack:
        step, parent = stack.pop()
        stack.extend((part, len(rows)) for part in reversed(step.parts))
        rows.append(RuleStep(rule_text(step, translation, words), step.begin, step.end, step.local, parent))
    return rows
