"""Sub-samples of a tuning set, to see how much a tuner depends on it (Cherry and Foster 2012, section 4.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError

KEPT = 0.9
"""The chance of every sentence to stay, as in the paper."""


def sub_sample(sentences: int, number: int, kept: float = KEPT) -> NDArray[np.int64]:
    """Draw the sentences of sub-sample `number` (1, 2, …): each with probability `kept`, in their order.

    Fixed: the same for every tuner, setting and seed, so that all of them are tried on the same sub-samples.
    """
    if number < 1:
        raise ConfigError(f"sub-sample {number}: they are numbered from 1")
    if not 0 < kept <= 1:
        raise ConfigError(f"the chance to keep a sentence must be above 0 and at most 1, got {kept:g}")
    chosen = np.flatnonzero(np.random.default_rng([_FIXED, number]).random(sentences) < kept)
    if not len(chosen):
        raise ConfigError(
            f"sub-sample {number} of {sentences} sentences has none of them; a set of hundreds is needed to tell "
            "how stable a tuner is"
        )
    return chosen


_FIXED = 2012
