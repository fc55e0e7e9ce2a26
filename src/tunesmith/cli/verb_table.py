"""Verbs by name, each imported when it is needed: a command does not wait for the modules of the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from typing import Any

import typer
import typer.main

from tunesmith.cli.group import Verb


class VerbTable(Mapping[str, Any]):
    """Commands of a group by name, in order; `modules` below `package`, by heading of the help.

    A module `models.import_moses` has the verb `import-moses`: a function `import_moses`, or a group of that name.
    """

    def __init__(self, package: str, modules: Mapping[str, Sequence[str]]) -> None:
        self._package = package
        self._places = {
            module.rpartition(".")[2].replace("_", "-"): (module, heading)
            for heading, listed in modules.items()
            for module in listed
        }
        self._loaded: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self._loaded:
            self._loaded[name] = self._load(*self._places[name])
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in self._places

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def _load(self, module: str, heading: str) -> Any:
        verb = getattr(import_module(f"{self._package}.{module}"), module.rpartition(".")[2])
        command: Any
        if isinstance(verb, typer.Typer):
            command = typer.main.get_group(verb)
        else:
            alone = typer.Typer(rich_markup_mode="rich", pretty_exceptions_enable=False, add_completion=False)
            alone.command(cls=Verb)(verb)
            command = typer.main.get_command(alone)
        command.rich_help_panel = heading
        return command
