"""Jumps of phrase-based models with their direction: Green et al. (2014), section 3.5."""

from __future__ import annotations

from dataclasses import dataclass

from tunesmith.features.base import StateFeature, register


@register("signed_distortion")
@dataclass(frozen=True)
class SignedDistortion(StateFeature):
    """Each jump, and its sign: `signed_distortion:-2` with `signed_distortion:negative`; 0 has no sign.

    A phrase that begins at source word b, after one that ends before word e, has the jump e - b; the first phrase
    has b, as Eq. 4 of the paper. Computed in the search of phrase-based models.
    """
