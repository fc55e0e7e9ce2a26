"""Parts of tuning that were checked to fit together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tunesmith.tuning import compat
from tunesmith.tuning.constraints import Constraints
from tunesmith.tuning.losses.base import Loss
from tunesmith.tuning.optimizers.base import Optimizer
from tunesmith.tuning.regularizers.base import Penalty


@dataclass(frozen=True)
class Learner:
    """A loss, an optimizer and an optional regularizer; ConfigError if they do not fit together."""

    loss: Loss[Any, Any]
    optimizer: Optimizer[Any, Any]
    regularizer: Penalty | None = None

    def __post_init__(self) -> None:
        compat.check_parts(self.loss, self.regularizer, self.optimizer)


@dataclass(frozen=True)
class Parts(Learner):
    """A learner and constraints on the weights.   penalised: patterns of penalised features; default: all."""

    constraints: Constraints | None = None
    penalised: tuple[str, ...] = ()
