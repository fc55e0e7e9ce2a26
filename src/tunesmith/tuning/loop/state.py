"""State that steps pass on. All of it survives a kill."""

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
    """State of a run between two steps.

    weights: one for each known feature.
    pools: by name: `decoded` is the last decoding, the name of a source its accumulated pool; for data other than
        dev, `decoded NAME` and `NAME`. arrays: data of steps for later steps and for users, by name.
    numbers: measurements of this round, for its row of the history.   details: reported by the optimizer.
    optimizers: states of unfinished optimizers, by the name of their step.
    stop: why the run ends here, or None.
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
        """Extend the state to at least `columns` features: new features have the weight 0 and are in no group."""
        if columns <= len(self.weights):
            return self
        groups = None if self.projection is None else self.projection.resized(columns)
        optimizers = {name: each.grown(columns) for name, each in self.optimizers.items()}
        return replace(self, weights=grown(self.weights, columns), projection=groups, optimizers=optimizers)


def source_of(pool: str) -> str:
    """Return the source of the pool of this name."""
    return "dev" if pool == "decoded" else pool.rpartition(" ")[2]


def decoded(source: str) -> str:
    """Return the name of the last decoding of a source among the pools of a state."""
    return "decoded" if source == "dev" else f"decoded {source}"


def visited(source: str) -> str:
    """Return the name, among the arrays of a state, of translations visited in the pool of a source."""
    return f"visited {source}"
