"""The errors a user may see. Each message says where, what was seen, what was expected, and the way out."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


class TunesmithError(Exception):
    """Base of all errors raised on purpose; the command line turns them into one line and an exit code."""

    exit_code = 1


class FormatError(TunesmithError, ValueError):
    """Data that cannot be used. Prints as `path:line: message`; line numbers start at 1."""

    def __init__(self, message: str, *, path: str | None = None, line: int | None = None) -> None:
        self.message, self.path, self.line = message, path, line
        where = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(where + message)


class ConfigError(TunesmithError, ValueError):
    """A setting, or a combination of settings, that cannot work. Nothing was read or written yet."""

    exit_code = 2


class MissingFileError(ConfigError):
    """A path that was named but cannot be opened."""


class IrregularFileError(TunesmithError):
    """A link, pipe, socket or device inside a folder of ours, where only regular files and folders are used.

    Neither a FormatError nor an OSError: code that takes a damaged or missing file for "not there" must not take
    this for it.
    """


class MissingExtraError(ConfigError):
    """An optional library that is not installed."""

    def __init__(self, what: str, library: str, extra: str) -> None:
        super().__init__(
            f"{what} needs the library {library}, which is not installed. "
            f"Install it with: pip install 'tunesmith[{extra}]'"
        )


@contextlib.contextmanager
def core_errors(name: str | None) -> Iterator[None]:
    """Errors of the core as errors of ours: the core knows the line, `name` is what messages call the file."""
    try:
        yield
    except (TunesmithError, UnicodeError):
        raise
    except ValueError as error:
        message, line = error.args if len(error.args) == 2 else (str(error), 0)
        raise FormatError(message, path=name, line=line or None) from None
    except OSError as error:
        if error.errno is not None:  # not from the core
            raise
        raise TunesmithError(str(error)) from None
