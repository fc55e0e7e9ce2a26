"""Names of features ↔ numbers: strings at the edges, integers inside."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.errors import ConfigError
from tunesmith.weights import Weights


class FeatureIndex:
    """A list of different names that may grow: while tuning it does, for decoding it is frozen.

    The columns of a feature matrix come first, then the features of the search, then what is added later. Names of
    `id` features are not stored: they are made from the rule table, and found in it.

    growing: templates of the search whose features get their numbers when they are first met.
    """

    def __init__(self, names: Iterable[str] = (), *, native: _core.FeatureIndex | None = None) -> None:
        self.native = _core.FeatureIndex() if native is None else native
        self.frozen = False
        self.growing: set[str] = set()
        for name in names:
            self.add(name)

    def __len__(self) -> int:
        return len(self.native)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.native.find(name) is not None

    def __iter__(self) -> Iterator[str]:
        """Return all names in the order of their numbers, one after the other."""
        return (self.native.name(id) for id in range(len(self)))

    def __repr__(self) -> str:
        return f"FeatureIndex of {len(self)} names"

    def add(self, name: str) -> int:
        """Return the number of a feature, new or not; ConfigError if it is new and the index frozen."""
        found = self.native.find(name)
        if found is not None:
            return found
        if self.frozen:
            raise ConfigError(f"the feature {name!r} is not one of this model's")
        try:
            return self.native.add(name)
        except ValueError as error:
            raise ConfigError(str(error)) from None

    def find(self, name: str) -> int | None:
        return self.native.find(name)

    def name(self, id: int) -> str:
        if not 0 <= id < len(self):
            raise IndexError(f"feature {id} of {len(self)}")
        return self.native.name(id)

    def names(self, begin: int, end: int) -> Iterator[str]:
        """Return the names of the features [begin, end), all of which are known."""
        return map(self.native.name, range(begin, end))

    def with_prefix(self, prefix: str) -> NDArray[np.int64]:
        """Return the numbers of all features whose names begin so, rising."""
        return self.native.with_prefix(prefix)

    @property
    def rules(self) -> range:
        """The numbers of the features `id:…` of a rule table, one for each rule; empty without them."""
        return range(*self.native.rule_block())

    def freeze(self) -> FeatureIndex:
        """Take no more names; returns itself."""
        self.frozen = True
        return self

    def vector(self, weights: Weights, *, threads: int = 1) -> tuple[NDArray[np.float64], list[str]]:
        """Return weights by number, 0 where none is given; and the names that no feature has, in their order."""
        ids = self.native.resolve(weights.native, threads)
        vector = np.zeros(len(self))
        known = ids >= 0
        vector[ids[known]] = weights.array[known]
        return vector, [weights.native.name(at) for at in np.flatnonzero(~known).tolist()]

    def weights(self, vector: NDArray[np.float64], *, signature: str = "", zeros: bool = False) -> Weights:
        """Return a weight vector by name, in the order of the numbers; those that are 0 only with `zeros`."""
        if vector.shape != (len(self),):
            raise ConfigError(f"{vector.shape} weights for {len(self)} features")
        ids = np.arange(len(self)) if zeros else np.flatnonzero(vector)
        try:
            native = self.native.weights(
                ids.astype(np.uint32), np.ascontiguousarray(vector[ids], dtype=np.float64)
            )
        except ValueError as error:
            raise ConfigError(str(error)) from None
        return Weights(native, signature)
