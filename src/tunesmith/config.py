"""`system.toml`: what a model directory consists of.

A model directory holds everything that translates: the rule table, language models, start weights, and this file,
which names them. Features are named by their templates; a model directory carries no code and points to none, and
its paths never leave it, so that a directory may come from another person.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from tunesmith import _core
from tunesmith.errors import ConfigError, MissingFileError
from tunesmith.io import StrPath, write_lines
from tunesmith.io.inside import inside
from tunesmith.io.seals import check_line, seal_line
from tunesmith.io.toml import Setting, TomlDocument, read_toml, shown_value, toml_lines, unknown_key
from tunesmith.text_part import TextPart

SYSTEM = "system.toml"
WEIGHTS = "weights.tsv"
FORMAT = 1
SIDES: tuple[str, ...] = ("source", "target")
TEXTS = ("source_text", "target_text")
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_.-]*")
_MOST = 2**62

# What any search may be limited by; a limit in seconds is not among them: results would depend on the machine.
_ANY_SEARCH = {"pop_limit": 1, "table_limit": 0, "max_words": 0, "max_pops": 0, "max_edges": 0, "max_bytes": 0}


@cache
def decoder_settings(kind: str) -> dict[str, int | None]:
    """Return keys of [decoder] for a kind of model: the least value of each, None where it is true or false.

    The searches of the core say which they have; what they do is written at the options of the decoder.
    """
    own = {name: None if switch else least for name, _, least, _, switch in _core.search_settings(kind)}
    return {**own, **_ANY_SEARCH}


@dataclass(frozen=True)
class LanguageModelPart:
    """name: of the feature (`lm` for the first).   path: of the model, inside the model directory."""

    name: str
    path: str


@dataclass(frozen=True)
class FeaturePart:
    """A feature template by name, with the settings that differ from its defaults."""

    template: str
    settings: Mapping[str, Setting] = field(default_factory=dict)


@dataclass(frozen=True)
class System:
    """What a model directory consists of. Paths are relative to it.

    kind: the search, `hiero` or `phrase`.   rules: the rule table.   decoder: options other than its defaults.
    source_text, target_text: how raw text becomes tokens; they change nothing where it is tokenised already.
    classes: maps of words to classes, of `source` or `target` words.
    """

    kind: str
    rules: str = "rules"
    lms: tuple[LanguageModelPart, ...] = (LanguageModelPart("lm", "lm.bin"),)
    features: tuple[FeaturePart, ...] = ()
    decoder: Mapping[str, Setting] = field(default_factory=dict)
    source_text: TextPart = field(default_factory=TextPart)
    target_text: TextPart = field(default_factory=TextPart)
    classes: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.kind not in (kinds := _core.search_kinds()):
            raise _PartError(f"kind must be {' or '.join(kinds)}, got {self.kind!r}", None, "kind")
        _check_path(self.rules, "rules")
        for at, lm in enumerate(self.lms):
            _check_path(lm.path, "lm", at)
            if not _NAME.fullmatch(lm.name):
                raise _PartError(f"{lm.name!r} is not a name; use letters, digits, _ . -", "lm", "name", at)
            if lm.name in {other.name for other in self.lms[:at]}:
                raise _PartError(f"two language models are called {lm.name!r}", "lm", "name", at)
        for at, part in enumerate(self.features):
            if not _NAME.fullmatch(part.template):
                raise _PartError(f"{part.template!r} is not the name of a template", "features", "template", at)
            _check_settings(part.settings, "features", at)
        for side in TEXTS:
            text: TextPart = getattr(self, side)
            for key, path in text.files().items():
                _check_path(path, side, key=key)
            _check_settings(text.settings, side)
            if (problem := text.problem()) is not None:
                raise _PartError(problem[1], side, problem[0])
        for side, path in self.classes.items():
            _check_path(path, "classes", key=side)
        _check_settings(self.decoder, "decoder")
        known = decoder_settings(self.kind)
        for key, value in self.decoder.items():
            if key not in known:
                raise _PartError(unknown_key(key, list(known), "option of the decoder"), "decoder", key)
            least = known[key]
            if least is None and type(value) is not bool:
                raise _PartError(f"{key} must be true or false, got {shown_value(value)}", "decoder", key)
            if least is not None and (type(value) is not int or not least <= value < _MOST):
                expected = f"{key} must be a whole number of at least {least}"
                raise _PartError(f"{expected}, got {shown_value(value)}", "decoder", key)


class _PartError(ConfigError):
    """Something in a system that cannot be, and where it is said; at: which of the tables of that name."""

    def __init__(self, message: str, table: str | None, key: str, at: int = 0) -> None:
        super().__init__(message)
        self.place = (table, key, at)


def write_system(folder: StrPath, system: System) -> None:
    """Write `system.toml` into a model directory, all or nothing. The same system gives the same bytes."""
    lines = list(system_lines(system))
    seal = seal_line("".join(f"{line}\n" for line in lines).encode()).decode().rstrip()
    write_lines(inside(folder) / SYSTEM, [seal, *lines])


def system_lines(system: System) -> Iterator[str]:
    """Yield the lines of `system.toml`."""
    yield from toml_lines({"format": FORMAT, "kind": system.kind})
    tables: list[tuple[str, Mapping[str, Setting]]] = [("[rules]", {"path": system.rules})]
    tables += [("[[lm]]", {"name": lm.name, "path": lm.path}) for lm in system.lms]
    tables += [("[[features]]", {"template": part.template, **part.settings}) for part in system.features]
    tables += [(f"[{side}]", getattr(system, side).entries()) for side in TEXTS if getattr(system, side)]
    tables += [(f"[{key}]", values) for key in ("classes", "decoder") if (values := getattr(system, key))]
    for head, values in tables:
        yield ""
        yield head
        yield from toml_lines(values)


def read_system(folder: StrPath) -> System:
    """Read the `system.toml` of a model directory and see that the parts it names are there.

    Strict: what is not known, or cannot be, raises FormatError with `path:line`. So does a checksum line that is
    wrong; a file that was made or edited by hand needs none.
    """
    path = inside(folder)
    if not path.is_dir():
        raise MissingFileError(f"{path}: no such folder; expected a model directory, as tunesmith train makes it")
    if not (path / SYSTEM).is_file():
        raise MissingFileError(
            f"{path}: there is no {SYSTEM}, so this is not a model directory, or one whose training was not "
            "finished. Run the same tunesmith train again"
        )
    document = read_toml(path / SYSTEM)
    system = parse_system(document)
    _check_parts(path, system, document)
    check_line((path / SYSTEM).read_bytes(), str(path / SYSTEM))  # last: mistakes of an edit have a line
    return system


def parse_system(document: TomlDocument) -> System:
    """Parse the text of the file and check it, but not whether its parts exist."""
    tables = dict(document.tables)
    version = tables.pop("format", None)
    if type(version) is not int or version < 1:
        raise document.error(f"expected format = {FORMAT} in the first line; is this a {SYSTEM}?", None, "format")
    if version > FORMAT:
        raise document.error(
            f"the model has format {version}, this tunesmith reads up to {FORMAT}; update it with: "
            "pip install --upgrade tunesmith",
            None,
            "format",
        )
    reader = _Reader(document, tables)
    kind = reader.text(tables, None, "kind")
    rules = reader.table("rules")
    rules_path = reader.text(rules, "rules", "path")
    reader.nothing_else(rules, "rules")
    lms = []
    for at, entry in enumerate(reader.tables("lm")):
        lms.append(LanguageModelPart(reader.text(entry, "lm", "name", at), reader.text(entry, "lm", "path", at)))
        reader.nothing_else(entry, "lm", at)
    features = []
    for at, entry in enumerate(reader.tables("features")):
        template = reader.text(entry, "features", "template", at)
        features.append(FeaturePart(template, _settings(entry)))
    decoder = _settings(reader.table("decoder", required=False))
    texts = [_text_part(reader, side) for side in TEXTS]
    table = reader.table("classes", required=False)
    classes = {side: reader.text(table, "classes", side) for side in SIDES if side in table}
    reader.nothing_else(table, "classes")
    reader.nothing_else(tables, None)
    try:
        return System(kind, rules_path, tuple(lms), tuple(features), decoder, texts[0], texts[1], classes)
    except _PartError as error:
        raise document.error(str(error), *error.place) from None


def _text_part(reader: _Reader, side: str) -> TextPart:
    table = reader.table(side, required=False)
    known = {key: reader.text(table, side, key) for key in ("tokenizer", "language", "case", "truecase", "model")
             if key in table}  # fmt: skip
    return TextPart(**known, settings=_settings(table))


class _Reader:
    """Reader that takes known keys out of tables; keys that are left over are not known."""

    def __init__(self, document: TomlDocument, tables: dict[str, Any]) -> None:
        self._document, self._tables = document, tables
        self._asked: dict[str | None, list[str]] = {None: ["format"]}

    def _take(self, table: dict[str, Any], name: str | None, key: str) -> Any:
        self._asked.setdefault(name, []).append(key)
        return table.pop(key, None)

    def text(self, table: dict[str, Any], name: str | None, key: str, at: int = 0) -> str:
        value = self._take(table, name, key)
        if not isinstance(value, str):
            where = "" if name is None else f" in [{name}]"
            seen = "is missing" if value is None else f"= {shown_value(value)}"
            raise self._document.error(f"{key}{where} {seen}; expected a text in quotes", name, key, at)
        return value

    def table(self, key: str, *, required: bool = True) -> dict[str, Any]:
        value = self._take(self._tables, None, key)
        if value is None and not required:
            return {}
        if not isinstance(value, dict):
            raise self._document.error(f"expected a table [{key}]", key if value is None else None, key)
        return dict(value)

    def tables(self, key: str) -> list[dict[str, Any]]:
        value = self._take(self._tables, None, key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            raise self._document.error(f"expected tables [[{key}]], in double brackets", key, None)
        return [dict(entry) for entry in value]

    def nothing_else(self, table: dict[str, Any], name: str | None, at: int = 0) -> None:
        for key in table:
            what = "table or key" if name is None else f"key of [{name}]"
            where = key if name is None and isinstance(table[key], dict | list) else name
            raise self._document.error(unknown_key(key, self._asked[name], what), where, key, at)


def _check_parts(folder: Path, system: System, document: TomlDocument) -> None:
    """Check that every part is present."""
    parts: list[tuple[str, str, int]] = [(system.rules, "rules", 0)]
    parts += [(lm.path, "lm", at) for at, lm in enumerate(system.lms)]
    parts += [(path, side, 0) for side in TEXTS for path in getattr(system, side).files().values()]
    parts += [(path, "classes", 0) for path in system.classes.values()]
    for name, table, at in parts:
        path = folder / name
        if not path.exists():
            raise document.error(
                f"{path} does not exist; the model directory is not complete. Train it again, or copy all of it",
                table,
                "path",
                at,
            )
    if not (folder / system.rules).is_dir():
        seen = f"{folder / system.rules} is a file"
        raise document.error(f"{seen}; expected the folder of a rule table", "rules", "path")


def _settings(table: dict[str, Any]) -> dict[str, Setting]:
    return {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}


def _check_path(path: str, table: str, at: int = 0, key: str = "path") -> None:
    pure = PurePosixPath(path)
    if not path or any(character in path for character in "\0\n\r"):
        raise _PartError(f"path {path!r} is not the name of a file", table, key, at)
    if pure.is_absolute() or ".." in pure.parts or path.startswith("~") or str(pure) == ".":
        raise _PartError(
            f"path {path!r} leaves the model directory; only paths inside of it are read", table, key, at
        )


def _check_settings(settings: Mapping[str, Setting], table: str, at: int = 0) -> None:
    for key, value in settings.items():
        if not _NAME.fullmatch(key):
            raise _PartError(f"{key!r} is not the name of a setting", table, key, at)
        for each in value if isinstance(value, tuple) else (value,):
            if not isinstance(each, str | int | float | bool):
                expected = "expected a text, number, truth value or a list of these"
                raise _PartError(f"{key} = {shown_value(each)} cannot be a setting; {expected}", table, key, at)
            if isinstance(each, float) and not math.isfinite(each):
                raise _PartError(f"{key} = {each} is not a finite number", table, key, at)
            if isinstance(each, int) and not -(2**63) <= each < 2**63:
                raise _PartError(f"{key} = {shown_value(each)} is too large", table, key, at)
