"""The verbs of the command line as stages of a pipeline run them: each in its own process, here or on a worker."""

from __future__ import annotations

import contextlib
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import typer

from tunesmith.cli.extensions import FILES_OF_USERS
from tunesmith.errors import TunesmithError
from tunesmith.execution import Executor, children
from tunesmith.execution.verbs import Command, Verb
from tunesmith.experiments.pipeline.commands import CommandError, OptionForm
from tunesmith.io import atomic_writer

_UsageError: Any = typer.BadParameter.__mro__[1]
_FILES = ("FILE", "FOLDER", "LIST", "SOURCE", "TARGET")


@dataclass(frozen=True)
class VerbCommands:
    """Verbs with the threads and the quietness of the pipeline, which no result depends on.

    executor: what runs them, with the threads of its workers; None for this process.
    """

    threads: int
    quiet: bool
    executor: Callable[[], Executor | None] = lambda: None

    def forms(self, verb: str) -> Mapping[str, OptionForm]:
        """Return options and arguments of a verb by key."""
        return {form.key: form for form in map(_form, _verb(verb).params)}

    def check(self, words: Sequence[str]) -> None:
        """Let the parser of the verb read the words, but for those that name code, which it would run."""
        verb = _verb(words[0])
        harmless = [word for word in words[1:] if word.partition("=")[0] not in FILES_OF_USERS]
        try:
            with verb.make_context(words[0], harmless):
                pass
        except _UsageError as error:
            param = getattr(error, "param", None)
            raise CommandError(error.format_message(), None if param is None else _form(param).key) from None
        except TunesmithError as error:
            raise CommandError(str(error), None) from None

    def shown(self, words: Sequence[str]) -> str:
        """Return the command to copy."""
        return shlex.join(["tunesmith", *self._whole(words)])

    def run(self, words: Sequence[str], output: Path | None) -> None:
        """Run a verb; its messages go where ours go. A worker sends its messages back where the verb fails."""
        if (executor := self.executor()) is not None:
            self._run_there(words, output, executor)
            return
        with contextlib.ExitStack() as opened:
            stdout = subprocess.DEVNULL if output is None else opened.enter_context(output.open("wb"))
            child = children.start([sys.executable, "-m", "tunesmith", *self._whole(words)], stdout=stdout)
            try:
                code = child.wait()
            finally:
                child.end()
        if code != 0:
            raise TunesmithError(f"code {code} of {self.shown(words)}")

    def _run_there(self, words: Sequence[str], output: Path | None, executor: Executor) -> None:
        quiet = ["--quiet"] if "quiet" in self.forms(words[0]) else []
        command = Command((*words, *quiet), str(Path.cwd()), "threads" in self.forms(words[0]))
        [ended] = executor.map(Verb(), [command])
        if ended.code != 0:
            raise TunesmithError(f"code {ended.code} of {self.shown(words)}: {' / '.join(ended.said[-3:])}")
        if output is not None:
            with atomic_writer(output) as out:
                out.write(ended.printed)

    def _whole(self, words: Sequence[str]) -> list[str]:
        forms = self.forms(words[0])
        threads = [f"--threads={self.threads}"] if "threads" in forms else []
        return [*words, *threads, *(["--quiet"] if self.quiet and "quiet" in forms else [])]


@cache
def _verb(name: str) -> Any:
    from tunesmith.cli.main import app

    command: Any = typer.main.get_command(app)
    return command.commands[name]


def _form(parameter: Any) -> OptionForm:
    """Return what the command line has declared, as a pipeline sees it."""
    metavar = (parameter.metavar or "").strip("[]…")
    file = metavar in _FILES
    maybe = not file and any(each in _FILES for each in metavar.split("|"))
    if parameter.param_type_name == "argument":
        several = parameter.nargs != 1
        return OptionForm(parameter.name, None, file=file, maybe_file=maybe, repeated=several)
    long = [name for name in parameter.opts if name.startswith("--")]
    return OptionForm(
        long[0].removeprefix("--"),
        long[0],
        parameter.secondary_opts[0] if parameter.secondary_opts else None,
        parameter.is_flag,
        file,
        maybe,
        parameter.multiple,
    )
