"""A table of settings as the words of a command, with the files and stages that it reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tunesmith.errors import MissingFileError
from tunesmith.experiments.pipeline import document as documents
from tunesmith.experiments.pipeline.commands import CommandError, Commands, OptionForm
from tunesmith.experiments.pipeline.document import PipelineDocument, shown
from tunesmith.experiments.pipeline.inputs import input_digest
from tunesmith.experiments.pipeline.kinds import CODE, KINDS, REFUSED, RESERVED
from tunesmith.experiments.stages import Stage

_REFERENCE = re.compile(rf"\{{((?:{'|'.join(KINDS)})\.[^{{}}]*)\}}")


@dataclass
class Command:
    """Words of a command without its output.

    settings: what was given.   files: digests of files from outside.   needs: stages that are referred to.
    places: where each option is given.
    """

    verb: str
    arguments: list[str] = field(default_factory=list)
    options: list[str] = field(default_factory=list)
    settings: dict[str, Any] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    needs: dict[str, Stage] = field(default_factory=dict)
    places: dict[str, documents.Path] = field(default_factory=dict)

    def words(self, *more: str) -> list[str]:
        return [self.verb, *self.arguments, *self.options, *more]


Refer = Callable[[str, documents.Path], tuple[Stage, Path]]
"""Function from the text in braces, such as tune.mira, to the stage and the path of its product."""


class Writer:
    """Writer of commands.

    base: the folder that paths in the file are relative to.   allow_code: whether options may name code to run.
    """

    def __init__(
        self, document: PipelineDocument, commands: Commands, base: Path, refer: Refer, *, allow_code: bool
    ) -> None:
        self._document, self._commands, self._base, self._refer = document, commands, base, refer
        self._allow_code = allow_code

    def command(self, verb: str, table: Mapping[str, Any], at: documents.Path) -> Command:
        """Return the command of a table whose keys are options of the verb; an error names the line."""
        forms = self._commands.forms(verb)
        refused = REFUSED.get(verb, {})
        known = [key for key in forms if key not in RESERVED and key not in refused]
        given: dict[str, tuple[str, Any]] = {}
        for key, value in table.items():
            if (name := key.replace("_", "-")) in RESERVED:
                raise self._document.error(f"{key} is set by the pipeline; leave it out", (*at, key))
            if name in refused:
                reason = refused[name].format(verb=verb, key=name)
                raise self._document.error(f"{key} {reason}", (*at, key))
            if name not in known:
                message = documents.unknown(key, known, f"an option of tunesmith {verb}")
                raise self._document.error(message, (*at, key))
            if name in CODE and not self._allow_code:
                message = f"{key} runs code that the file names; if you trust it, give --allow-code"
                raise self._document.error(message, (*at, key))
            given[name] = (key, value)
        command = Command(verb, settings={"verb": verb})
        for name in forms:
            if name in given:
                key, value = given[name]
                self.add(command, forms[name], value, (*at, key))
        return command

    def add(self, command: Command, form: OptionForm, value: Any, at: documents.Path) -> None:
        """Add an option or an argument with its value to a command."""
        command.settings[form.key], command.places[form.key] = value, at
        if form.flag:
            if not isinstance(value, bool):
                raise self._document.error(f"{form.key} must be true or false, got {shown(value)}", at)
            word = form.on if value else form.off
            command.options += [] if word is None else [word]
            return
        if isinstance(value, dict) and form.repeated:
            value = [f"{key}={self._scalar(each, at)}" for key, each in value.items()]
        if isinstance(value, list) and not form.repeated:
            raise self._document.error(f"{form.key} takes one value, got {len(value)}", at)
        for each in value if isinstance(value, list) else [value]:
            text = self._resolved(command, form, self._scalar(each, at), at)
            if form.on is None:
                command.arguments.append(text)
            else:
                command.options.append(f"{form.on}={text}")

    def check(self, command: Command, words: list[str], at: documents.Path) -> None:
        """Let the verb look at its options, so that a wrong value is found before anything runs."""
        try:
            self._commands.check(words)
        except CommandError as error:
            raise self._document.error(error.message, command.places.get(error.key or "", at)) from None

    def _scalar(self, value: Any, at: documents.Path) -> str:
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str | int | float):
            return str(value)
        raise self._document.error(f"{at[-1]} must be a text or a number, got {shown(value)}", at)

    def _resolved(self, command: Command, form: OptionForm, text: str, at: documents.Path) -> str:
        """Return the text with paths of stages put in, or the path of a file whose digest is noted."""
        found = list(_REFERENCE.finditer(text))
        for each in reversed(found):
            stage, path = self._refer(each[1], at)
            command.needs[stage.name] = stage
            text = f"{text[: each.start()]}{path}{text[each.end() :]}"
        if found or not (form.file or form.maybe_file):
            return text
        if text == "-":
            raise self._document.error(f"{at[-1]}: stages read files, not standard input", at)
        path = self._base / text
        try:
            command.files[f"file {text}"] = input_digest(path)
        except MissingFileError as error:
            if form.maybe_file:
                return text
            raise self._document.error(f"{at[-1]}: {error}", at) from None
        return str(path)
