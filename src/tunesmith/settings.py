"""Settings as users type them (`keep=100,min_gain=0.1`, `oscar:l1=1e-3`) ↔ frozen dataclasses."""

from __future__ import annotations

import dataclasses
import re
import types
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from tunesmith.checks import one_of
from tunesmith.errors import ConfigError
from tunesmith.io.digest import Digest

T = TypeVar("T")
_WHOLE = re.compile(r"[+-]?[0-9]{1,18}")

NOT_TYPED = types.MappingProxyType({"typed": False})
"""Metadata of a field that users do not set by name: a part, or what a separate option sets. A field that is
not read by its type has a function in its metadata: `read`, from the text and the value before."""


def parse_settings(settings: str | Iterable[str]) -> list[tuple[str, str]]:
    """Return names and values; several in one text are separated by commas."""
    texts = [settings] if isinstance(settings, str) else list(settings)
    found = []
    for item in (part.strip() for text in texts for part in text.split(",")):
        if not item:
            continue
        name, equals, value = item.partition("=")
        if not equals or not name.strip() or not value.strip():
            raise ConfigError(f"setting {item!r} cannot be read; write it like keep=100")
        found.append((name.strip(), value.strip()))
    return found


def parse_named(text: str) -> tuple[str, dict[str, str]]:
    """Return a name and, after a colon, its settings: `ranks:bins=5`."""
    name, _, settings = text.partition(":")
    return name, dict(parse_settings(settings))


def read_settings(kind: Any, values: Mapping[str, str], what: str, before: Any = None) -> dict[str, Any]:
    """Return fields of a dataclass by name, each read as its type says.

    what: its name in messages.   before: an instance, for fields that are read by their own function.
    """
    hints = get_type_hints(kind) if dataclasses.is_dataclass(kind) else {}
    known = {each.name: each for each in dataclasses.fields(kind)} if hints else {}
    found: dict[str, Any] = {}
    for name, text in values.items():
        if name not in known:
            raise ConfigError(f"{what} has no setting {name!r}. It has: {', '.join(known) or 'none'}")
        if (read := known[name].metadata.get("read")) is not None:
            found[name] = read(text, getattr(before, name))
        else:
            found[name] = read_value(text, hints[name], f"{what}.{name}")
    return found


def merged_settings(typed: Mapping[str, Any], given: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Join settings typed after a name (`bleu:lowercase=true`) and by options; none may be given twice."""
    if both := [name for name in typed if name in given]:
        raise ConfigError(
            f"{', '.join(both)} of {what} given twice, after its name and as an option; leave out one of the two"
        )
    return {**given, **typed}


def with_values(part: T, values: Mapping[str, str]) -> T:
    """Return a frozen dataclass with these fields changed."""
    changed = read_settings(type(part), values, type(part).__name__, part)
    return dataclasses.replace(part, **changed)  # type: ignore[type-var]


def typed_settings(part: Any) -> list[str]:
    """Return names of the fields that users set."""
    fields = [] if part is None else dataclasses.fields(part)
    return [each.name for each in fields if each.metadata.get("typed", True)]


def read_value(text: str, kind: Any, name: str) -> Any:
    """Return the text as a number, a truth value, one of several words, or None where the type allows it."""
    if get_origin(kind) in (Union, types.UnionType):
        kinds = get_args(kind)
        for words in kinds:
            if get_origin(words) is Literal and text in get_args(words):
                return text
        if text.lower() == "none" and type(None) in kinds:
            return None
        return read_value(text, next(each for each in kinds if each is not type(None)), name)
    if get_origin(kind) is Literal:
        one_of(get_args(kind), **{name: text})
        return text
    if kind == tuple[str, ...]:
        return tuple(text.split())
    if kind is bool:
        if text.lower() not in ("yes", "no", "true", "false"):
            raise ConfigError(f"{name} must be yes or no, got {text!r}")
        return text.lower() in ("yes", "true")
    try:
        if kind is int and not _WHOLE.fullmatch(text):
            raise ValueError
        return kind(text)
    except (TypeError, ValueError):
        wanted = {int: "a whole number", float: "a number"}.get(kind, str(kind))
        raise ConfigError(f"{name} must be {wanted}, got {text!r}") from None


def settings_of(part: Any) -> dict[str, Any] | None:
    """Name and settings of a loss, regularizer, optimizer or metric, for comparison and signature."""
    if part is None:
        return None
    found: dict[str, Any] = {"name": type(part).__name__}
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        for each in dataclasses.fields(part):
            value = getattr(part, each.name)
            found[each.name] = settings_of(value) if dataclasses.is_dataclass(value) else plain(value)
    return found


def plain(value: Any) -> Any:
    """Return the value as JSON would give it back."""
    if isinstance(value, (np.integer, np.floating, np.bool_)):
        return value.item()
    if isinstance(value, np.ndarray):
        digest = Digest()
        digest.add_array(value)
        return digest.hex()
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    return value if value is None or isinstance(value, (str, int, float, bool)) else repr(value)
