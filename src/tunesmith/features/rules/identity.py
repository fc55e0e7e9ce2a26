"""Rule identity."""

from __future__ import annotations

from dataclasses import dataclass

from tunesmith.features.base import RuleFeature, register


@register("id")
@dataclass(frozen=True)
class Identity(RuleFeature):
    """One feature for every rule of the table (Liu et al. 2013): `id:喝_[X,1]|drink_[X,1]`.

    Takes no memory: rule r fires column `first + r` of the feature matrix, and names are made from the table.
    """
