"""Weights of a decoder in the core, which has separate weights for every domain."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.decoding.domain_copies import DomainCopies
from tunesmith.errors import ConfigError

Floats = NDArray[np.float64]
_LARGEST = 1e20
"""Weights beyond it are refused by the core (cpp/decoding/decoder.cpp)."""


class Weighting:
    """Weights as a decoder takes them: directly, or for each domain the sums of weights of features and copies.

    What is refused changes nothing. Several threads may call it.
    """

    def __init__(self, native: _core.Decoder, domains: DomainCopies | None) -> None:
        self._native, self._domains = native, domains
        self._weights = np.zeros(0)  # copies included; without domains the core has them
        self._lock = threading.RLock()

    def current(self, size: int) -> Floats:
        """Return a copy of all weights, by number, for `size` features."""
        found = self._native.weights() if self._domains is None else self._weights
        return np.pad(found, (0, max(0, size - len(found))))

    def of_domain(self, domain: int, size: int) -> Floats:
        """Return the weights of the search in a domain, w + w_m, by the numbers of original features."""
        found = self.current(size)
        return found if self._domains is None else self._domains.weights(found)[domain]

    def set(self, vector: Floats) -> None:
        if self._domains is None:
            change(self._native.set_weights, vector)
            return
        self._native.check_not_waiting()
        with self._lock:
            of_domains = self._domains.weights(vector)
            for own in of_domains:
                _check(own)
            for domain, own in enumerate(of_domains):
                change(self._native.set_weights, own, domain)
            self._weights = vector.copy()

    def update(self, ids: NDArray[np.uint32], values: Floats) -> None:
        """Change some weights; the cost depends only on their number."""
        if self._domains is None:
            change(self._native.update_weights, ids, values)
            return
        if len(ids) != len(values):
            raise ConfigError("there must be one value for every feature")
        self._native.check_not_waiting()
        with self._lock:
            if ids.size:
                self._weights = np.pad(self._weights, (0, max(0, int(ids.max()) + 1 - len(self._weights))))
            before = self._weights[ids]
            self._weights[ids] = values
            try:
                changes = self._domains.changes(ids, self._weights)
                for _, sums in changes:
                    _check(sums)
            except ConfigError:
                self._weights[ids] = before
                raise
            for domain, (changed, sums) in enumerate(changes):
                change(self._native.update_weights, changed, sums, domain)


def change(call: Callable[..., Any], *arguments: Any) -> None:
    """Call the core; its refusals become ConfigError."""
    try:
        call(*arguments)
    except ValueError as error:
        raise ConfigError(str(error)) from None


def _check(weights: Floats) -> None:
    """Refuse what the core would refuse, before the weights of any domain have changed."""
    if not np.isfinite(weights).all():
        raise ConfigError("a weight is not a finite number")
    if np.abs(weights).max(initial=0.0) > _LARGEST:
        raise ConfigError("a weight is beyond ±1e20, which is too large to search with")
