"""Weights of a decoder of the core, which has weights of its own for every domain."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.decoding.domain_copies import DomainCopies
from tunesmith.errors import ConfigError

Floats = NDArray[np.float64]


class Weighting:
    """Gives weights to a decoder: as they are, or to each domain those of features and of its copies together."""

    def __init__(self, native: _core.Decoder, domains: DomainCopies | None) -> None:
        self._native, self._domains = native, domains
        self._weights = np.zeros(0)  # with copies; without domains the core has them

    def current(self, size: int) -> Floats:
        """A copy of all weights, by number, for so many features."""
        found = self._native.weights() if self._domains is None else self._weights
        return np.pad(found, (0, max(0, size - len(found))))

    def set(self, vector: Floats) -> None:
        if self._domains is None:
            change(self._native.set_weights, vector)
            return
        for domain, own in enumerate(self._domains.weights(vector)):
            change(self._native.set_weights, own, domain)
        self._weights = vector.copy()

    def update(self, ids: NDArray[np.uint32], values: Floats) -> None:
        """Change some weights; what it costs depends on their number alone."""
        if self._domains is None:
            change(self._native.update_weights, ids, values)
            return
        if ids.size:
            self._weights = np.pad(self._weights, (0, max(0, int(ids.max()) + 1 - len(self._weights))))
        self._weights[ids] = values
        for domain, (changed, sums) in enumerate(self._domains.changes(ids, self._weights)):
            change(self._native.update_weights, changed, sums, domain)


def change(call: Callable[..., Any], *arguments: Any) -> None:
    """Call the core; what it refuses is a ConfigError."""
    try:
        call(*arguments)
    except ValueError as error:
        raise ConfigError(str(error)) from None
