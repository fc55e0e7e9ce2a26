"""What steps hand to each other. All of it survives a kill."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from numpy.typing import NDArray

from tunesmith.tuning.growth import grown
from tunesmith.tuning.optimizers.base import OptimizerState
from tunesmith.tuning.pools.base import Floats, Pool
from tunesmith.tuning.projection import Projection


@dataclass(frozen=True)
class State:
    """A moment between two steps.

    weights: one for each feature known so far.
    pools: by name: `decoded` is what came last, a source's own name all that it gave so far; for other data than
        dev, `decoded NAME` and `NAME`.
    arrays: what steps keep for later ones and for people, by name.
    numbers: what this round's steps measured, for its row of the history. details: what the optimizer reports.
    optimizers: states of optimizers that have not ended, by the name of the step that they belong to.
    stop: why the run ends here; None while it does not.
    """

    weights: Floats
    round: int = 0
    pools: Mapping[str, Pool] = field(default_factory=dict)
    numbers: Mapping[str, float] = field(default_factory=dict)
    details: Mapping[str, float] = field(default_factory=dict)
    projection: Projection | None = None
    arrays: Mapping[str, NDArray[Any]] = field(default_factory=dict)
    optimizers: Mapping[str, OptimizerState] = field(default_factory=dict)
    stop: str | None = None

    def grown(self, columns: int) -> State:
        """The state for at least so many features: new ones have the weight 0 and are in no group."""
        if columns <= len(self.weights):
            return self
        groups = None if self.projection is None else self.projection.resized(columns)
        optimizers = {name: each.grown(columns) for name, each in self.optimizers.items()}
        return replace(self, weights=grown(self.weights, columns), projection=groups, optimizers=optimizers)


def source_of(pool: str) -> str:
    """The source that the pool of this name comes from."""
    return "dev" if pool == "decoded" else pool.rpartition(" ")[2]


def decoded(source: str) -> str:
    """The name of what a source gave last, among the pools of a state."""
    return "decoded" if source == "dev" else f"decoded {source}"


def visited(source: str) -> str:
    """The name of what an optimizer met in the pool of a source, among the arrays of a state."""
    return f"visited {source}"
