"""Lexicalised reordering of phrase-based models."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tunesmith.errors import ConfigError
from tunesmith.features.base import StateFeature, register
from tunesmith.grammar import RuleTable


@register("reordering")
@dataclass(frozen=True)
class Reordering(StateFeature):
    """Log probability of a phrase's orientation towards its neighbours, as in `reordering:previous-monotone`.

    The phrase table says which orientations there are and holds their probabilities (`RuleTable.reordering`).
    Computed in the search of phrase-based models.
    """

    def inputs(self, table: RuleTable) -> Mapping[str, object]:
        """Return the probabilities of the table, and what their columns are."""
        self.dense_details(table)
        return {
            "values": np.ascontiguousarray(table.reordering).reshape(-1),
            "columns": list(table.reordering_columns),
            "blocks": table.reordering_model == "hier",
        }

    def dense_details(self, table: RuleTable) -> Sequence[str]:
        if not table.reordering_columns:
            raise ConfigError(
                f"{table.folder}: has no reordering probabilities, which the template 'reordering' needs; extract "
                "phrase pairs with --reordering, or leave the template out"
            )
        return table.reordering_columns
