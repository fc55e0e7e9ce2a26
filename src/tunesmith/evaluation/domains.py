"""Results by domain: the sentences with its label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def sentences_of(labels: Sequence[str]) -> dict[str, NDArray[np.int64]]:
    """Return the sentence numbers of each domain, from 0, by name."""
    given = np.array(labels, dtype=object)
    return {label: np.flatnonzero(given == label) for label in sorted(set(labels))}
