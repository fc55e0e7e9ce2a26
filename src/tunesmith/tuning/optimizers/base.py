"""What an optimizer is: objective, regularizer and start weights in, better weights out.

`needs` names what it asks of an objective, `regularizer_needs` what it asks of a regularizer (None: it takes
none). One that cannot work with every such regularizer, or not without any, may have
`check_regularizer(regularizer)`; one that cannot keep all constraints `check_limits(regularizer, limits)`. Both
are called before anything is decoded.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.registry import Registry
from tunesmith.tuning.constraints import Constraints, Limits, limits_of
from tunesmith.tuning.groups.projection import Projection
from tunesmith.tuning.regularizers.base import Regularizer

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Fitted:
    """Weights, the value of what was minimised there, and what a reader may want to know besides.

    groups: features of equal weight, from an optimizer that knows them.
    """

    weights: Floats
    value: float
    details: Mapping[str, float] = field(default_factory=dict)
    groups: Projection | None = None


class Optimizer(Protocol):
    """Settings of a way to minimise."""

    needs: ClassVar[frozenset[str]]
    regularizer_needs: ClassVar[frozenset[str] | None]

    def minimize(
        self,
        objective: Any,
        regularizer: Regularizer | None,
        start: Floats,
        *,
        seed: int,
        constraints: Constraints | None = None,
        threads: int = 1,
    ) -> Fitted:
        """Weights of small objective + regularizer, from `start`. The same bytes for every number of threads."""


optimizers: Registry[Optimizer] = Registry("optimizer", "tunesmith.optimizers")


def limits_for(objective: Any, constraints: Constraints | None, start: Floats) -> Limits:
    """The constraints as numbers for the objective's features."""
    features = getattr(objective, "features", None)
    if constraints is not None and features is None:
        raise ConfigError(f"constraints name features, but {type(objective).__name__} has no `features`")
    return limits_of(constraints, features if features is not None else (), start)


def refuse_penalties(optimizer: Any, constraints: Constraints | None) -> None:
    """For optimizers without a regularizer."""
    if constraints is not None and constraints.penalties:
        raise ConfigError(
            f"{type(optimizer).__name__} takes no regularizer, so features cannot have penalties of their own: "
            f"{', '.join(constraints.penalties)}. Use pro with a regularizer, or fix or bound them."
        )
