"""Pairs of a source word anywhere in the sentence and a target word."""

from __future__ import annotations

from dataclasses import dataclass

from tunesmith.features.base import SpanFeature, register


@register("source_triggers")
@dataclass(frozen=True)
class SourceTriggers(SpanFeature):
    """How often target word e is written for a sentence with source word s: `source_triggers:s|e`.

    The triggers of Mauser et al. (2009). Each source word counts once; words that the rules do not know fire
    nothing. Computed by the core (cpp/features/search/source_triggers.hpp).
    """
