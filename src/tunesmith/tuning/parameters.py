"""Settings of composed parts by nested names, as in scikit-learn: `loss__keep`, `plan__rounds`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from tunesmith.errors import ConfigError
from tunesmith.registry import did_you_mean


def nested(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return values by name, each part followed by its fields as `part__field`, at any depth."""
    found: dict[str, Any] = {}
    for name, value in values.items():
        found[name] = value
        if _is_part(value):
            fields = {each.name: getattr(value, each.name) for each in dataclasses.fields(value) if each.init}
            found |= {f"{name}__{inner}": each for inner, each in nested(fields).items()}
    return found


def replaced(values: Mapping[str, Any], changes: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Change values by nested names.

    Parts are changed before their fields.   what: owner of these values, for messages.
    """
    found = dict(values)
    inner: dict[str, dict[str, Any]] = {}
    for name, value in changes.items():
        first, _, rest = name.partition("__")
        if first not in found:
            raise ConfigError(f"{what} has no parameter {first!r}{did_you_mean(first, found)}")
        if rest:
            inner.setdefault(first, {})[rest] = value
        else:
            found[first] = value
    for name, of_part in inner.items():
        part = found[name]
        if not _is_part(part):
            raise ConfigError(f"{name} of {what} is {part!r}, which has no parameter {next(iter(of_part))!r}")
        fields = {each.name: getattr(part, each.name) for each in dataclasses.fields(part) if each.init}
        changed = replaced(fields, of_part, type(part).__name__)
        found[name] = dataclasses.replace(part, **changed)
    return found


def short_repr(part: Any) -> str:
    """Format a part as a Python call with its non-default settings."""
    if not _is_part(part):
        return repr(part)
    changed = [
        (each.name, getattr(part, each.name)) for each in dataclasses.fields(part) if each.init and each.repr
    ]
    defaults = {each.name: _default(each) for each in dataclasses.fields(part)}
    shown = [f"{name}={short_repr(value)}" for name, value in changed if not _same(value, defaults[name])]
    return f"{type(part).__name__}({', '.join(shown)})"


def _default(field: dataclasses.Field[Any]) -> Any:
    return field.default_factory() if callable(field.default_factory) else field.default


def _same(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except ValueError:  # arrays
        return False


def _is_part(value: Any) -> bool:
    return dataclasses.is_dataclass(value) and not isinstance(value, type)
