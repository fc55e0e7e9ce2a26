"""Which parts work together: each says what it needs and offers, a wrong combination fails before any work."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

from tunesmith.errors import ConfigError
from tunesmith.metrics.base import Metric
from tunesmith.registry import Registry
from tunesmith.tuning.capabilities import declared, members, missing
from tunesmith.tuning.losses.base import Loss, losses
from tunesmith.tuning.objectives import Objective
from tunesmith.tuning.optimizers.base import Optimizer, optimizers
from tunesmith.tuning.optimizers.online import OnlineOptimizer
from tunesmith.tuning.pools.base import Pool
from tunesmith.tuning.regularizers.base import Penalty, regularizers

T = TypeVar("T")
AnyLoss = Loss[Any, Any]
AnyOptimizer = Optimizer[Any, Any]


def check(loss: object, regularizer: object, optimizer: object, metric: object) -> None:
    """Raise ConfigError unless these parts work together.

    It says who cannot work with whom, what is missing, and what to use instead.
    """
    if not isinstance(metric, Metric):
        raise ConfigError(f"{_name(metric)} is not a metric: use one such as Bleu()")
    check_parts(loss, regularizer, optimizer)


def check_parts(loss: object, regularizer: object, optimizer: object) -> None:
    """Check parts as `check` does, without a metric."""
    if not isinstance(loss, Loss):
        raise ConfigError(f"{_name(loss)} is not a loss: a loss derives from tunesmith.tuning.losses.Loss")
    if not isinstance(optimizer, Optimizer):
        raise ConfigError(
            f"{_name(optimizer)} is not an optimizer: one derives from tunesmith.tuning.optimizers.Optimizer"
        )
    if regularizer is not None and not isinstance(regularizer, Penalty):
        raise ConfigError(f"{_name(regularizer)} is not a regularizer: a regularizer has value()")
    _check_loss(loss, optimizer)
    if regularizer is not None:
        _check_penalty(regularizer, optimizer)
    optimizer.check(loss, regularizer, None)


def check_pool(loss: AnyLoss, pool: type) -> None:
    """Raise ConfigError unless pools of this class offer what the loss needs."""
    others = [_name(other) for other in _made(losses) if not missing(pool, other.pool, Pool)]
    check_capability(_name(loss), loss.pool, pool, " or ".join(others))


def check_capability(what: str, capability: type, pool: type, instead: str = "") -> None:
    """Raise ConfigError unless pools of this class offer a capability."""
    if lacking := missing(pool, capability, Pool):
        raise ConfigError(
            f"{what} needs a pool with {_methods(lacking)} ({capability.__name__}), {_name(pool)} has none. Use "
            f"{instead or 'another source'}."
        )


def _check_loss(loss: AnyLoss, optimizer: AnyOptimizer) -> None:
    lacking = missing(loss.objective, optimizer.objective, Objective)
    if not lacking:
        return
    able = [part for part in _like(optimizer) if _fits(loss, part)]
    offered = frozenset[str]().union(*(declared(part.objective) for part in able))
    others = [_name(part) for part in _made(losses) if _fits(part, optimizer)]
    ways = [*_any_of(map(_name, able)), *_settings_that_fit(loss, optimizer)]
    ways += [f"a loss such as {name}" for name in others[:1] if name != _name(loss)]
    raise ConfigError(
        f"{_name(optimizer)} cannot minimize {_name(loss)}: it needs {_methods(lacking)}, {_name(loss)} has "
        f"{_methods(offered)}. Use {', or '.join(ways) or 'another optimizer'}."
    )


def _fits(loss: AnyLoss, optimizer: AnyOptimizer | type[AnyOptimizer]) -> bool:
    return not missing(loss.objective, optimizer.objective, Objective)


def _settings_that_fit(loss: AnyLoss, optimizer: AnyOptimizer) -> Iterator[str]:
    """Yield settings of the loss that give another kind of objective when left at their defaults."""
    if not dataclasses.is_dataclass(loss):
        return
    for field in dataclasses.fields(loss):
        if field.default is not dataclasses.MISSING:
            with contextlib.suppress(ConfigError):  # settings that exclude each other
                changed: Any = dataclasses.replace(loss, **{field.name: field.default})
                if _fits(changed, optimizer):
                    yield f"{_name(loss)} with {field.name}={field.default}"


def _check_penalty(penalty: Penalty, optimizer: AnyOptimizer) -> None:
    if isinstance(penalty, optimizer.penalties):
        return
    able = list(map(_name, (part for part in _like(optimizer) if isinstance(penalty, part.penalties))))
    if not optimizer.penalties:
        raise ConfigError(
            f"{_name(optimizer)} takes no regularizer, got {_name(penalty)}. Leave it out, or use "
            f"{' or '.join(able) or 'another optimizer'} with a smooth loss."
        )
    needed = " or ".join(_methods(members(each) - set(dir(penalty))) for each in optimizer.penalties)
    known = frozenset[str]().union(*(members(each) for part in _like(optimizer) for each in part.penalties))
    offered = (known & set(dir(penalty))) - members(Penalty)
    others = [_name(part) for part in _made(regularizers) if isinstance(part, optimizer.penalties)]
    ways = [*_any_of(able), *(f"a regularizer such as {name}" for name in others[:1])]
    raise ConfigError(
        f"{_name(optimizer)} cannot work with {_name(penalty)}: it needs {needed}, {_name(penalty)} has "
        f"{_methods(offered)}. Use {', or '.join(ways) or 'none'}."
    )


def _like(optimizer: AnyOptimizer) -> list[type[AnyOptimizer]]:
    """Return optimizers for the same plans: those that learn batch by batch, or the others."""
    found = [optimizers.get(name) for name in optimizers]
    online = isinstance(optimizer, OnlineOptimizer)
    classes = [part for part in found if isinstance(part, type) and issubclass(part, Optimizer)]
    return [part for part in classes if issubclass(part, OnlineOptimizer) == online]


def _made(registry: Registry[T]) -> Iterator[T]:
    """Yield the parts of a registry that can be made without settings."""
    for name in registry:
        try:
            yield registry.make(name)
        except ConfigError:
            continue


def _any_of(names: Iterable[str]) -> list[str]:
    joined = " or ".join(names)
    return [joined] if joined else []


def _methods(names: Iterable[str]) -> str:
    return " and ".join(f"{name}()" for name in sorted(names)) or "nothing"


def _name(part: object) -> str:
    return part.__name__ if isinstance(part, type) else type(part).__name__
