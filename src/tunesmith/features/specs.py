"""Which templates, with which settings: as a user types them, and as a model stores them.

default,id                     two presets, or templates without settings
word_pair:top=20,count_bin     settings follow a colon; several are separated by commas too
extended-filtered:more_than=5  a setting of a preset is one of each of its templates that has it
count_bin:bounds=1/2/5,exact=no
"""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tunesmith.errors import ConfigError
from tunesmith.features.base import Feature, templates
from tunesmith.features.presets import preset_templates

Setting = bool | int | float | str | tuple[int, ...]


@dataclass(frozen=True)
class TemplateSpec:
    """The name of a template and its settings; those left out have the template's defaults."""

    name: str
    settings: Mapping[str, Setting] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """Return a `[[features]]` table of system.toml, also for JSON."""
        plain = {key: list(value) if isinstance(value, tuple) else value for key, value in self.settings.items()}
        return {"template": self.name, **plain}

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> TemplateSpec:
        """Return what `as_dict` gave. Nothing is looked up yet, so a name that is not known passes here."""
        name = table.get("template")
        if not isinstance(name, str) or not name:
            raise ConfigError(f'a feature template needs a name, template = "…", got {dict(table)}')
        return cls(name, {key: _plain(name, key, value) for key, value in table.items() if key != "template"})

    def build(self) -> Feature:
        """Return the template with its settings; ConfigError if there is none, or if it does not take them."""
        settings = self.typed().settings
        try:
            return templates.make(self.name, **settings)
        except ConfigError as error:
            raise ConfigError(f"{self.name}: {error}") from None

    def typed(self) -> TemplateSpec:
        """Return the spec with every setting of the template, each of its type."""
        try:
            factory = templates.get(self.name)
        except ConfigError as error:
            raise ConfigError(
                f"{error}. A template of your own must be named on the command line: --features-from FILE"
            ) from None
        if not dataclasses.is_dataclass(factory):
            return self
        known = {entry.name: _default(entry) for entry in dataclasses.fields(factory)}
        for key in self.settings:
            if key not in known:
                takes = f"it takes {', '.join(known)}" if known else "it takes none"
                raise ConfigError(f"feature template {self.name!r} has no setting {key!r}; {takes}")
        given = {
            key: _as_type_of(default, self.settings[key], f"{self.name}:{key}")
            if key in self.settings
            else default
            for key, default in known.items()
            if key in self.settings or default is not dataclasses.MISSING
        }
        return TemplateSpec(self.name, given)

    def label(self) -> str:
        """Name the template with its settings other than defaults, for signatures: `word_pair[top=20]`."""
        typed = self.typed().settings
        usual: dict[str, Any] = {}
        factory = templates.get(self.name)
        if dataclasses.is_dataclass(factory):
            usual = {entry.name: _default(entry) for entry in dataclasses.fields(factory)}
        changed = {key: value for key, value in typed.items() if key not in usual or usual[key] != value}
        text = ",".join(f"{key}={_written(value)}" for key, value in changed.items())
        return f"{self.name}[{text}]" if text else self.name


def parse_features(text: str, kind: str = "hiero") -> list[TemplateSpec]:
    """Parse templates and presets as typed after `--features`, presets written out; each template once.

    kind: of the model; some presets mean other templates for phrase-based models.
    """
    specs: list[tuple[str, dict[str, Setting]]] = []
    for part in text.split(","):
        word, equals, _ = part.partition("=")
        if equals and ":" not in word:  # one more setting of the template before it
            if not specs:
                raise ConfigError(f"--features {text!r} must begin with a template, got the setting {part!r}")
            specs[-1][1].update([_assignment(part, text)])
            continue
        name, colon, setting = part.strip().partition(":")
        if not name:
            raise ConfigError(f"--features {text!r}: the name of a template is empty")
        specs.append((name, dict([_assignment(setting, text)]) if colon else {}))
    return _expanded((TemplateSpec(name, settings) for name, settings in specs), kind)


def _expanded(specs: Iterable[TemplateSpec], kind: str) -> list[TemplateSpec]:
    found: dict[str, TemplateSpec] = {}
    for spec in specs:
        preset = preset_templates(spec.name, kind)
        parts = [spec.typed()] if preset is None else _of_preset(spec, parse_features(preset))
        for part in parts:
            if found.setdefault(part.name, part) != part:
                raise ConfigError(
                    f"the feature template {part.name!r} is asked for twice, with different settings"
                )
    return list(found.values())


def _of_preset(preset: TemplateSpec, parts: list[TemplateSpec]) -> list[TemplateSpec]:
    """Return the templates of a preset; a setting of the preset is one of each template that has it."""
    for key, value in preset.settings.items():
        if not any(key in part.settings for part in parts):
            raise ConfigError(f"{preset.name!r} is a set of templates, none of which has a setting {key!r}")
        parts = [
            TemplateSpec(part.name, {**part.settings, key: value}).typed() if key in part.settings else part
            for part in parts
        ]
    return parts


def _assignment(text: str, whole: str) -> tuple[str, Setting]:
    key, equals, value = text.strip().partition("=")
    if not (key and equals):
        raise ConfigError(f"--features {whole!r}: expected setting=value, got {text!r}")
    return key, value


def _written(value: Setting) -> str:
    """Return a setting as a user types it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "/".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _default(entry: dataclasses.Field[Any]) -> Any:
    if entry.default_factory is not dataclasses.MISSING:
        return entry.default_factory()
    return entry.default


def _plain(name: str, key: str, value: Any) -> Setting:
    if isinstance(value, list | tuple) and all(type(item) is int for item in value):
        return tuple(value)
    if isinstance(value, bool | int | float | str):
        return value
    raise ConfigError(f"feature template {name!r}: the setting {key!r} cannot be {value!r}")


def _as_type_of(default: Any, value: Setting, what: str) -> Setting:
    """Return a setting typed as text or read from a file, as the type of the default."""
    kind = type(default)
    if default is dataclasses.MISSING or type(value) is kind:
        return value
    if kind is float and type(value) is int:
        return float(value)
    if isinstance(value, str) and kind in _READ:
        with contextlib.suppress(ValueError, KeyError):
            return _READ[kind](value)
    raise ConfigError(f"{what} must be {_KINDS.get(kind, 'a text')}, got {value!r}")


_KINDS = {bool: "yes or no", tuple: "numbers joined by /", int: "a whole number", float: "a number"}
_READ: dict[type, Callable[[str], Setting]] = {
    bool: lambda text: {"yes": True, "true": True, "no": False, "false": False}[text.lower()],
    tuple: lambda text: tuple(int(item) for item in text.split("/")),
    int: int,
    float: float,
}
