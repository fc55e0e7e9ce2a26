"""The file of a pipeline, with the settings that the command line puts in their place."""

from __future__ import annotations

import copy
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tunesmith.errors import ConfigError, TunesmithError
from tunesmith.io import StrPath
from tunesmith.io.toml import TomlDocument, read_toml

Path = tuple[str, ...]
"""Where a value is: names of tables, then its key."""

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*")


class PipelineDocument:
    """What the file says after overrides, and where it says it.

    overrides: `tune.mira.rounds=3`; the value is read as TOML, and as text where it is no TOML.
    """

    def __init__(self, toml: TomlDocument, overrides: Sequence[str] = ()) -> None:
        self.name, self._toml = toml.name, toml
        self.tables: dict[str, Any] = copy.deepcopy(toml.tables)
        self._overridden: set[Path] = set()
        for each in overrides:
            self._override(each)

    @classmethod
    def read(cls, path: StrPath, overrides: Sequence[str] = ()) -> PipelineDocument:
        """Read a file; FormatError with `path:line` where it is not TOML."""
        return cls(read_toml(path), overrides)

    def error(self, message: str, at: Path) -> TunesmithError:
        """Return an error at a value, with its line or the override that gave it."""
        for given in self._overridden:
            if given == at[: len(given)]:
                return ConfigError(f"--set {'.'.join(given)}: {message}")
        for length in range(min(len(at), 3), 0, -1):  # the table may be written in an unusual way
            table = ".".join(at[: length - 1]) or None
            if self._toml.line(table, at[length - 1]) is not None:
                return self._toml.error(message, table, at[length - 1])
            if self._toml.line(".".join(at[:length])) is not None:
                return self._toml.error(message, ".".join(at[:length]))
        return self._toml.error(message)

    def table(self, at: Path, value: Any) -> dict[str, Any]:
        """Return the value, which must be a table."""
        if not isinstance(value, dict):
            raise self.error(f"{'.'.join(at)} must be a table, [{'.'.join(at)}], got {shown(value)}", at)
        return value

    def named(self, kind: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield the tables [kind.NAME], in the order of the file."""
        for name, value in self.table((kind,), self.tables.get(kind, {})).items():
            at = (kind, name)
            if not isinstance(value, dict):
                raise self.error(f"{kind} needs a name: [{kind}.NAME], with {name} in it", at)
            if not NAME.fullmatch(name):
                raise self.error(f"{name!r} is not a name; use letters, digits, _ and -", at)
            yield name, value

    def refuse_unknown(self, table: Mapping[str, Any], known: Sequence[str], at: Path, what: str) -> None:
        """Raise an error for the first key that is not known, with the one that may have been meant."""
        for key, value in table.items():
            if key not in known:
                inner = list(value)[:1] if isinstance(value, dict) else []  # [key.inner] is the line to name
                raise self.error(unknown(key, known, what), (*at, key, *inner))

    def _override(self, text: str) -> None:
        dotted, equals, value = text.partition("=")
        *tables, key = at = tuple(dotted.strip().split("."))
        if not equals or not all(at):
            raise ConfigError(f"--set {text}: is not KEY=VALUE, such as tune.mira.rounds=3")
        place = self.tables
        for number, name in enumerate(tables, 1):
            if number == _STAGE and name not in place:
                stages = [each for each, value in place.items() if isinstance(value, dict)]
                raise ConfigError(f"--set {dotted}: {unknown(name, stages, f'a stage {at[0]}.NAME of this file')}")
            place = place.setdefault(name, {})
            if not isinstance(place, dict):
                raise ConfigError(f"--set {dotted}: {'.'.join(at[:number])} is not a table")
        if isinstance(place.get(key), dict):
            raise ConfigError(f"--set {dotted}: is a table; name a key in it, such as {dotted}.KEY=VALUE")
        place[key] = _value(value.strip())
        self._overridden.add(at)


_STAGE = 2  # tables of [kind.name]


def _value(text: str) -> Any:
    try:
        found = TomlDocument([f"value = {text}"], "--set").tables
    except TunesmithError:
        return text
    return found["value"] if set(found) == {"value"} else text


def unknown(key: str, known: Sequence[str], what: str) -> str:
    """Return the message about a name that is not known."""
    near = difflib.get_close_matches(key, known, 1)
    hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(known) or 'none'}"
    return f"{key!r} is not {what}; {hint}"


def shown(value: Any) -> str:
    """Return a value in a message."""
    if isinstance(value, dict):
        return "a table"
    return str(value).lower() if isinstance(value, bool) else repr(value)
