"""Readable rules of a derivation."""

from __future__ import annotations

from collections.abc import Sequence

from tunesmith.decoding.translation import RuleApplication, Translation
from tunesmith.features import SpecialRule

_SPECIAL = {
    SpecialRule.unknown: "unknown word",
    SpecialRule.glue: "glue",
    SpecialRule.begin: "<s>",
    SpecialRule.end: "</s>",
}


def rule_text(step: RuleApplication, translation: Translation, words: Sequence[str]) -> str:
    """Format both sides of a rule, or the name of a special rule.   words: of the source line."""
    rule = translation.rule(step)
    if not isinstance(rule, SpecialRule):
        return f"{' '.join(rule.source)} ||| {' '.join(rule.target)}"
    name = _SPECIAL[rule]
    return f"{name}: {' '.join(words[step.begin : step.end])}" if rule is SpecialRule.unknown else name
