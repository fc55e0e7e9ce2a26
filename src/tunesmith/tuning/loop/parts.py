"""What weights are learnt with: parts that have been found to fit together."""

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
    """A loss, an optimizer and perhaps a regularizer; ConfigError where they do not fit together."""

    loss: Loss[Any, Any]
    optimizer: Optimizer[Any, Any]
    regularizer: Penalty | None = None

    def __post_init__(self) -> None:
        compat.check_parts(self.loss, self.regularizer, self.optimizer)


@dataclass(frozen=True)
class Parts(Learner):
    """A learner, and what the weights may not do.

    penalised: patterns of the features that have a penalty; all without them.
    """

    constraints: Constraints | None = None
    penalised: tuple[str, ...] = ()
