"""Checks of settings. Each check takes the settings by name, so that the message can name the wrong one.

None and NaN never pass; pass optional settings through `given` first.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import TypeVar

from tunesmith.errors import ConfigError

T = TypeVar("T")


def _is_number(value: object) -> bool:
    return hasattr(type(value), "__float__")  # includes NumPy numbers; excludes text


def shown(value: object) -> str:
    """Format a value for a message: text in quotes."""
    return repr(value) if isinstance(value, (str, bytes)) else str(value)


def given(**values: T | None) -> dict[str, T]:
    """Return the values that are not None, by name."""
    return {name: value for name, value in values.items() if value is not None}


def at_least(least: float, **values: float) -> None:
    """Raise ConfigError unless every value is at least `least`."""
    for name, value in values.items():
        if not _is_number(value) or not value >= least:
            raise ConfigError(f"{name} must be at least {least}, got {shown(value)}")


def above(bound: float, **values: float) -> None:
    """Raise ConfigError unless every value is greater than `bound`."""
    for name, value in values.items():
        if not _is_number(value) or not value > bound:
            raise ConfigError(f"{name} must be greater than {bound}, got {shown(value)}")


def between(low: float, high: float, **values: float) -> None:
    """Raise ConfigError unless every value lies between `low` and `high`, both excluded."""
    for name, value in values.items():
        if not _is_number(value) or not low < value < high:
            raise ConfigError(f"{name} must be between {low} and {high}, got {shown(value)}")


def within(low: float, high: float, **values: float) -> None:
    """Raise ConfigError unless every value lies between `low` and `high`, both included."""
    for name, value in values.items():
        if not _is_number(value) or not low <= value <= high:
            raise ConfigError(f"{name} must be from {low} to {high}, got {shown(value)}")


def finite(**values: float) -> None:
    """Raise ConfigError unless every value is a finite number."""
    for name, value in values.items():
        if not _is_number(value) or not -math.inf < value < math.inf:
            raise ConfigError(f"{name} must be a finite number, got {shown(value)}")


def one_of(choices: Iterable[str], **values: str) -> None:
    """Raise ConfigError unless every value is one of the choices."""
    known = list(choices)
    for name, value in values.items():
        if value not in known:
            raise ConfigError(f"{name} must be {' or '.join(known)}, got {value!r}")


def whole_number(low: int, high: int, **values: object) -> None:
    """Raise ConfigError unless every value is a whole number between `low` and `high`, both included."""
    for name, value in values.items():
        if type(value) is not int or not low <= value <= high:
            raise ConfigError(f"{name} must be a whole number from {low} to {high}, got {value!r}")


def kind_of(value: object) -> str:
    """Name a value of a wrong type in a message: `None`, `int`, `the class Bleu`."""
    if value is None:
        return "None"
    return f"the class {value.__name__}" if isinstance(value, type) else type(value).__name__
