"""Digests of what candidates depend on."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np

from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.tuning.pools.base import References


def text_digest(lines: Iterable[str]) -> str:
    """Sixteen hexadecimal digits that change with any character of the lines."""
    digest = hashlib.sha256()
    for line in lines:
        digest.update(line.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()[:16]


def references_digest(references: References) -> str:
    """The same for references; their number per sentence counts too."""
    return text_digest(text for each in references for text in (str(len(each)), *each))


def candidates_digest(candidates: CandidateSet) -> str:
    """The same for lists: sentences, statistics, and feature values as seen by two fixed weight vectors."""
    digest = hashlib.sha256(np.ascontiguousarray(candidates.offsets).tobytes())
    if candidates.statistics is not None:
        digest.update(np.ascontiguousarray(candidates.statistics).tobytes())
    random = np.random.default_rng(1)
    for _ in range(2):
        digest.update(candidates.scores(random.standard_normal(candidates.columns)).tobytes())
    return digest.hexdigest()[:16]
