"""A pool of lists of translations."""

from __future__ import annotations

from dataclasses import dataclass

from tunesmith.search.candidates import CandidateSet


@dataclass(frozen=True, eq=False)
class ListPool:
    """Lists of translations, one for each sentence."""

    candidates: CandidateSet
