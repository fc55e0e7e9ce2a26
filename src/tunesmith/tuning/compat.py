"""Which parts work together: each says what it needs and offers, a wrong combination fails before any work."""

from __future__ import annotations

from typing import Any

from tunesmith.errors import ConfigError
from tunesmith.metrics.base import Metric
from tunesmith.registry import Registry
from tunesmith.tuning.losses import losses
from tunesmith.tuning.optimizers import optimizers
from tunesmith.tuning.regularizers import regularizers


def check(loss: Any, regularizer: Any, optimizer: Any, metric: Any) -> None:
    """A ConfigError that says who cannot work with whom, what is missing, and what to use instead."""
    if not isinstance(metric, Metric):
        raise ConfigError(f"{_name(metric)} is no metric: something like Bleu() was expected")
    for part, kind, declared in ((loss, "loss", "offers"), (optimizer, "optimizer", "needs")):
        if not isinstance(getattr(part, declared, None), (frozenset, set)):
            raise ConfigError(
                f"{_name(part)} is no {kind}: a {kind} says in `{declared}` which methods it {declared}"
            )
    check_settings(loss, optimizer)
    _check_loss(loss, optimizer)
    if regularizer is not None:
        _check_regularizer(regularizer, optimizer)
    check_regularizer = getattr(optimizer, "check_regularizer", None)
    if check_regularizer is not None:
        check_regularizer(regularizer)


def check_settings(loss: Any, optimizer: Any) -> None:
    """What depends on how a loss or an optimizer is set: each may refuse the other."""
    for part, other, name in ((optimizer, loss, "check_loss"), (loss, optimizer, "check_optimizer")):
        refuse = getattr(part, name, None)
        if refuse is not None:
            refuse(other)


def _check_loss(loss: Any, optimizer: Any) -> None:
    missing = optimizer.needs - loss.offers
    if not missing:
        return
    instead = [name for name, part in _parts(optimizers) if part.needs <= loss.offers]
    others = [name for name, part in _parts(losses) if optimizer.needs <= part.offers]
    ways = [*_any_of(instead), *(f"a loss such as {name}" for name in others[:1])]
    raise ConfigError(
        f"{_name(optimizer)} cannot minimize {_name(loss)}: it needs {_methods(missing)}, {_name(loss)} has "
        f"{_methods(loss.offers)}. Use {', or '.join(ways)}."
    )


def _check_regularizer(regularizer: Any, optimizer: Any) -> None:
    if not isinstance(getattr(regularizer, "offers", None), (frozenset, set)):
        raise ConfigError(f"{_name(regularizer)} is no regularizer: it must say in `offers` which methods it has")
    if optimizer.regularizer_needs is None:
        able = [
            name for name, part in _parts(optimizers) if (part.regularizer_needs or {"-"}) <= regularizer.offers
        ]
        raise ConfigError(
            f"{_name(optimizer)} takes no regularizer, {_name(regularizer)} was given. Leave it out, or use "
            f"{' or '.join(able) or 'another optimizer'} with a smooth loss."
        )
    missing = optimizer.regularizer_needs - regularizer.offers
    if not missing:
        return
    able = [name for name, part in _parts(optimizers) if (part.regularizer_needs or {"-"}) <= regularizer.offers]
    others = [name for name, part in _parts(regularizers) if optimizer.regularizer_needs <= part.offers]
    ways = [*_any_of(able), *(f"a regularizer such as {name}" for name in others[:1])]
    raise ConfigError(
        f"{_name(optimizer)} cannot work with {_name(regularizer)}: it needs {_methods(missing)}, "
        f"{_name(regularizer)} has {_methods(regularizer.offers)}. Use {', or '.join(ways) or 'none'}."
    )


def _parts(registry: Registry[Any]) -> list[tuple[str, Any]]:
    found = [registry.get(name) for name in registry]
    return [(part.__name__, part) for part in found if isinstance(part, type)]


def _any_of(names: list[str]) -> list[str]:
    return [" or ".join(names)] if names else []


def _methods(names: Any) -> str:
    return " and ".join(f"{name}()" for name in sorted(names)) or "nothing"


def _name(part: Any) -> str:
    return part.__name__ if isinstance(part, type) else type(part).__name__
