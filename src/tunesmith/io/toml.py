"""TOML in and out: plain tables of settings, errors with the line they stand in.

Only what settings files need is written: tables, arrays of tables, and in them texts, numbers, truth values and
lists of these. Everything written reads back as the same values.
"""

from __future__ import annotations

import difflib
import json
import math
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tunesmith.errors import FormatError
from tunesmith.io.paths import StrPath, display_name
from tunesmith.io.reading import read_lines

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

Scalar = str | int | float | bool
Setting = Scalar | tuple[Scalar, ...]
"""A value that a settings file can hold for a key."""

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_PLACE = re.compile(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", re.DOTALL)
_HEADER = re.compile(r"\s*\[\[?([^\[\]#]+)\]\]?\s*(?:#.*)?")


_TOO_DEEP, _DEEPEST = "is not a settings file: its values are nested too deeply", 100


class TomlDocument:
    """What a file says, and where it says it."""

    def __init__(self, lines: Sequence[str], name: str) -> None:
        self.name, self._lines = name, lines
        try:
            self.tables: dict[str, Any] = tomllib.loads("\n".join(lines) + "\n")
        except tomllib.TOMLDecodeError as error:
            found = _PLACE.fullmatch(str(error))
            line = int(found[2]) if found and found[2] else max(len(lines), 1)
            raise FormatError(f"is not TOML: {found[1] if found else error}", path=name, line=line) from None
        except ValueError as error:  # a number with more digits than Python reads
            raise FormatError(f"is not a settings file: {error}", path=name) from None
        except RecursionError:
            raise FormatError(_TOO_DEEP, path=name) from None
        if _is_deep(self.tables):  # recursion ends where the version of Python says
            raise FormatError(_TOO_DEEP, path=name)

    def error(self, message: str, table: str | None = None, key: str | None = None, at: int = 0) -> FormatError:
        """Return an error at a key of a table (None: before the first table), or at the head of the table.

        at: which of the tables of that name, for arrays of tables.
        """
        return FormatError(message, path=self.name, line=self.line(table, key, at))

    def line(self, table: str | None, key: str | None = None, at: int = 0) -> int | None:
        """Return the line of a key, counted from 1; None where it is written in an unusual way and not found."""
        inside, head = table is None, None
        for number, line in enumerate(self._lines, 1):
            if header := _HEADER.fullmatch(line):
                named = header[1].strip().strip("\"'") == table
                inside = named and at == 0
                at -= named
                head = number if inside else head
            elif inside and key is not None and re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]", line):
                return number
        return head


def read_toml(path: StrPath) -> TomlDocument:
    """Read a settings file; FormatError with `path:line` if it is not TOML."""
    return TomlDocument(read_lines(path), display_name(path))


def toml_lines(values: Mapping[str, Setting]) -> Iterable[str]:
    """Yield `key = value` for every value, in the order given."""
    for key, value in values.items():
        yield f"{key if _BARE_KEY.fullmatch(key) else _text(key)} = {_value(value)}"


def _value(value: Setting) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is not written: settings are finite numbers")
    return repr(value)


def _text(text: str) -> str:
    # The escapes of JSON are TOML's too, except that TOML wants DEL escaped and JSON's surrogate pairs whole.
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _is_deep(value: object) -> bool:
    """Return whether tables and lists are inside each other more than `_DEEPEST` times."""
    level: list[Any] = [value]
    for _ in range(_DEEPEST):
        inside = [
            each.values() if isinstance(each, dict) else each for each in level if isinstance(each, dict | list)
        ]
        level = [each for values in inside for each in values]
        if not level:
            return False
    return True


def unknown_key(key: str, known: Iterable[str], what: str) -> str:
    """Say that a key is not known, with the closest one that is."""
    close = difflib.get_close_matches(key, list(known), n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known)}"
    return f"{key!r} is not a known {what}; {hint}"


def shown_value(value: object) -> str:
    """Return a value for a message, cut to 60 characters."""
    try:
        text = repr(value)
    except RecursionError:
        return "something nested too deeply"
    return text if len(text) <= 60 else text[:57] + "..."
