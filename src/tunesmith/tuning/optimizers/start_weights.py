"""The weights that learning starts from."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError

Floats = NDArray[np.float64]


class HasColumns(Protocol):
    """Anything with a number of features."""

    @property
    def columns(self) -> int:
        """How many."""


def checked_start(learnt_on: HasColumns, start: Floats) -> Floats:
    """A copy of the start weights, looked at."""
    weights = np.array(start, dtype=np.float64)
    if weights.shape != (learnt_on.columns,):
        raise ConfigError(f"start weights of shape {weights.shape} for {learnt_on.columns} features")
    if not np.isfinite(weights).all():
        raise ConfigError("start weights must be finite numbers")
    return weights
