"""Settings to try, as a user types them: `--sweep l2=1e-3,1e-2`; several sweeps are their grid."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from tunesmith.errors import ConfigError
from tunesmith.tuning import Recipe

_VALUE = re.compile(r"[\w.+-]+")  # goes into the name of a folder
_NAME = re.compile(r"[A-Za-z_][\w.]*")


@dataclass(frozen=True)
class Sweep:
    """A setting of a recipe and the values to try."""

    name: str
    values: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> Sweep:
        """Parse a sweep such as `strength=1e-3,1e-2`."""
        name, equals, values = (part.strip() for part in text.partition("="))
        found = tuple(value.strip() for value in values.split(",") if value.strip())
        if not equals or not _NAME.fullmatch(name) or not found:
            raise ConfigError(f"--sweep {text!r}: give a setting and values, such as strength=1e-3,1e-2")
        for value in found:
            if not _VALUE.fullmatch(value):
                raise ConfigError(f"--sweep {text!r}: {value!r} is not a value of a setting")
        return cls(name, found)


def grid(sweeps: Sequence[Sweep]) -> tuple[tuple[str, ...], ...]:
    """Return every combination of values as settings `name=value`; one empty combination without a sweep."""
    names = [sweep.name for sweep in sweeps]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise ConfigError(f"--sweep {twice}=… is given twice: put all its values into one")
    every = itertools.product(*([f"{sweep.name}={value}" for value in sweep.values] for sweep in sweeps))
    return tuple(every)


def recipes_of(recipe: Recipe, settings: Sequence[tuple[str, ...]]) -> list[Recipe]:
    """Return the recipe with each of the settings.

    A setting that is not known is an error, and so are two alike.
    """
    found: list[Recipe] = []
    for each in settings:
        changed = recipe.with_settings(each)
        if changed in found:
            before = ",".join(settings[found.index(changed)])
            raise ConfigError(f"--sweep: {before} and {','.join(each)} are the same")
        found.append(changed)
    return found
