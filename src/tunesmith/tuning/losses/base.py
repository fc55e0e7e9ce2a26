"""Base class of losses: `prepare` fixes the data of one round; the objective depends on the weights alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, TypeVar

from tunesmith.errors import ConfigError
from tunesmith.metrics.base import Metric
from tunesmith.registry import Registry

PoolT = TypeVar("PoolT", contravariant=True)
ObjectiveT = TypeVar("ObjectiveT", covariant=True)


class NothingToLearnError(ConfigError):
    """No two candidates differ for the loss; possible among a few sentences."""


class Loss(ABC, Generic[PoolT, ObjectiveT]):
    """Settings of a loss, a frozen dataclass.   pool: protocol of `pools.base` that pools must implement."""

    pool: ClassVar[type]

    @property
    @abstractmethod
    def objective(self) -> type:
        """Class of its objectives, which may depend on the settings."""

    @abstractmethod
    def prepare(self, pool: PoolT, metric: Metric, seed: int) -> ObjectiveT:
        """Return the objective of this pool, with everything random decided by `seed`."""


losses: Registry[Loss[Any, Any]] = Registry("loss", "tunesmith.losses")
