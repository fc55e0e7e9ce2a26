"""Python files of users, which register templates or metrics. Runs only files that the user names."""

from __future__ import annotations

import sys
import traceback
import types
from importlib.machinery import SourceFileLoader
from pathlib import Path

from tunesmith.errors import ConfigError, MissingFileError
from tunesmith.io import StrPath


def run_file(path: StrPath, registers: str, name: str) -> None:
    """Run a Python file; ConfigError gives the line where it fails.

    registers: what the file should register, for messages.   name: prefix of the name of its module.
    """
    file = Path(path)
    if not file.is_file():
        raise MissingFileError(f"{file}: no such file; expected a Python file that registers {registers}")
    loader = _Source(f"{name}_{file.stem}", str(file))
    module = types.ModuleType(loader.name)
    module.__file__ = str(file)
    try:
        sys.modules[module.__name__] = module  # where annotations and copies look up names that the file defines
        loader.exec_module(module)
    except (Exception, SystemExit) as error:
        del sys.modules[module.__name__]
        lines = [each.lineno for each in traceback.extract_tb(error.__traceback__) if each.filename == str(file)]
        line = getattr(error, "lineno", None) if isinstance(error, SyntaxError) else lines[-1] if lines else None
        where = f"{file}:{line}" if line else str(file)
        raise ConfigError(f"{where}: {type(error).__name__}: {error}") from error


def failed(what: str, error: Exception) -> ConfigError:
    """Build the error for a user's code that failed: what failed, why, and the line of the user's file."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [each for each in frames if _OURS not in Path(each.filename).parents]
    where = f" ({theirs[-1].filename}:{theirs[-1].lineno})" if theirs else ""
    return ConfigError(f"{what} failed: {type(error).__name__}: {error}{where}")


_OURS = Path(__file__).parent


class _Source(SourceFileLoader):
    """Loader that reads the source file itself and neither uses nor writes compiled copies."""

    def get_code(self, fullname: str) -> types.CodeType:
        code: types.CodeType = self.source_to_code(self.get_data(self.path), self.path)
        return code
