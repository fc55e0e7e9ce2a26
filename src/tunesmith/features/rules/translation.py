"""The scores of the table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tunesmith.features.base import DenseFeature, register
from tunesmith.features.names import escape
from tunesmith.grammar import RuleTable


@register("translation")
@dataclass(frozen=True)
class Translation(DenseFeature):
    """Natural logarithm of every score of the table, at least -100, as in `translation:p(e|f)`."""

    def columns(self, table: RuleTable) -> Sequence[tuple[str, str, int]]:
        return [(score_detail(name), "log_score", at) for at, name in enumerate(table.score_names)]


def score_detail(name: str) -> str:
    """Return the name of a score inside the name of its feature; `|` stays, as it separates no words here."""
    return escape(name).replace("%7C", "|")
