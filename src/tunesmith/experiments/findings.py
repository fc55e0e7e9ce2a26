"""Findings of a paper, claim by claim, shared by experiments that repeat a paper."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple, TypeVar

APPEARS, ABSENT, OPEN = "appears", "does not appear", "cannot be determined"
E = TypeVar("E")
Verdict = tuple[str, str]
"""One of the verdicts above, with the reason."""


class Finding(NamedTuple):
    """A claim of the paper, whether it holds here, and why."""

    claim: str
    verdict: str
    why: str

    def as_dict(self) -> dict[str, Any]:
        return self._asdict()


class MissingRowsError(Exception):
    """Rows that a finding needs were not run; the message lists them."""


def judge(rules: Iterable[tuple[str, Callable[[E], Verdict]]], evidence: E) -> list[Finding]:
    """Judge each claim by its rule; a claim whose rows were not run cannot be determined."""
    found = []
    for claim, rule in rules:
        try:
            verdict, why = rule(evidence)
        except MissingRowsError as missing:
            verdict, why = OPEN, f"not run: {missing}"
        found.append(Finding(claim, verdict, why))
    return found
