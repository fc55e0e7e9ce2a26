"""Pairs of neighbouring target words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from tunesmith.features.base import StateFeature, register
from tunesmith.features.tokens import TokenSettings


@register("target_bigrams")
@dataclass(frozen=True)
class TargetBigrams(TokenSettings, StateFeature):
    """How often target word b follows a: `target_bigrams:a_b`, with `<s>` and `</s>`; other words are `<unk>`.

    Computed in the search (cpp/features/search/target_bigrams.hpp), also where two rules meet.
    """

    sides: ClassVar[tuple[str, ...]] = ("target",)
