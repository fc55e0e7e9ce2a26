"""What a loss is: `prepare` fixes the data of one round, the objective it gives depends on the weights alone."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Generic, TypeVar

from tunesmith.errors import ConfigError
from tunesmith.metrics.base import Metric
from tunesmith.registry import Registry

PoolT = TypeVar("PoolT", contravariant=True)
ObjectiveT = TypeVar("ObjectiveT", covariant=True)


class NothingToLearnError(ConfigError):
    """No two candidates differ in what the loss looks at; among a few sentences this may happen."""


class Loss(ABC, Generic[PoolT, ObjectiveT]):
    """Settings of a loss, a frozen dataclass.   pool: what it needs of a pool, a protocol of `pools.base`."""

    pool: ClassVar[type]

    @property
    @abstractmethod
    def objective(self) -> type:
        """The class of its objectives, which may depend on the settings."""

    @abstractmethod
    def prepare(self, pool: PoolT, metric: Metric, seed: int) -> ObjectiveT:
        """Return the objective of this pool, with everything random decided by `seed`."""


losses: Registry[Loss[Any, Any]] = Registry("loss", "tunesmith.losses")
