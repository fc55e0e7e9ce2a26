"""Digests of the data that candidates depend on."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from tunesmith.io.digest import Digest
from tunesmith.search.lists.candidates import CandidateSet
from tunesmith.tuning.pools.base import References


def text_digest(lines: Iterable[str]) -> str:
    """Compute a digest of 16 hexadecimal digits that depends on every character of the lines."""
    digest = Digest()
    for line in lines:
        digest.add(line + "\n")
    return digest.hex()


def references_digest(references: References) -> str:
    """Compute a digest of references and their numbers per sentence."""
    return text_digest(text for each in references for text in (str(len(each)), *each))


def candidates_digest(candidates: CandidateSet) -> str:
    """Compute a digest of lists: sentences, statistics, and scores under two fixed weight vectors."""
    digest = Digest()
    digest.add_array(candidates.offsets)
    if candidates.statistics is not None:
        digest.add_array(candidates.statistics)
    random = np.random.default_rng(1)
    for _ in range(2):
        digest.add_array(candidates.scores(random.standard_normal(candidates.columns)))
    return digest.hex()
