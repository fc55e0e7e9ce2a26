"""Errors that users may see. Each message says where, what is wrong, and the way out."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator, Sequence

LONGEST_QUOTE = 200
_LONGEST_MESSAGE = 2000
_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
# Text between quotation marks, as repr writes it; an apostrophe inside a word does not count.
_QUOTES = [
    re.compile(rf"(?<!\w){mark}((?:[^{mark}\\]|\\.){{{LONGEST_QUOTE + 1},}}){mark}(?!\w)", re.DOTALL)
    for mark in "'\""
]


def shortened(message: str) -> str:
    """Shorten a message to one line, with at most 200 characters of every quotation, and to a reasonable length.

    Line breaks and control characters, which come from names in data, are escaped. An ellipsis replaces text that
    is cut. The end of a long message stays: it holds the way out.
    """
    message = _CONTROLS.sub(lambda found: repr(found.group())[1:-1], message)
    if len(message) <= LONGEST_QUOTE:
        return message
    for quote in _QUOTES:
        message = quote.sub(lambda found: f"{found.group()[: LONGEST_QUOTE + 1]}…{found.group()[0]}", message)
    if len(message) > _LONGEST_MESSAGE:
        message = f"{message[: _LONGEST_MESSAGE * 3 // 4]}… {message[-_LONGEST_MESSAGE // 4 :]}"
    return message


def cut(text: str) -> str:
    """Cut an input to at most 200 characters, for messages that show it without quotation marks."""
    return text if len(text) <= LONGEST_QUOTE else f"{text[:LONGEST_QUOTE]}…"


class TunesmithError(Exception):
    """Base of all errors raised on purpose; the command line turns them into one line and an exit code.

    Messages quote at most 200 characters of input, whoever raises them.
    said: last lines that another program printed, shown below the message.
    """

    exit_code = 1

    def __init__(self, message: str = "", *, said: Sequence[str] = ()) -> None:
        super().__init__("\n  ".join(map(shortened, (message, *said))))


class FormatError(TunesmithError, ValueError):
    """Data that cannot be used. Prints as `path:line: message`; line numbers start at 1."""

    def __init__(self, message: str, *, path: str | None = None, line: int | None = None) -> None:
        self.message, self.path, self.line = shortened(message), path, line
        where = "" if path is None else f"{path}: " if line is None else f"{path}:{line}: "
        super().__init__(where + self.message)


class ConfigError(TunesmithError, ValueError):
    """A setting, or a combination of settings, that cannot work. Raised before anything is read or written."""

    exit_code = 2


class WrongTypeError(ConfigError, TypeError):
    """An argument of an unsupported type; the message says what to pass."""


class MissingFileError(ConfigError):
    """A path that was named but cannot be opened."""


class IrregularFileError(TunesmithError):
    """A link, pipe, socket or device inside a folder of tunesmith, which holds regular files and folders only.

    Neither a FormatError nor an OSError: code that treats a damaged or missing file as absent must not treat this
    as absent.
    """


class MissingExtraError(ConfigError):
    """An optional library that is not installed."""

    def __init__(self, what: str, library: str, extra: str, otherwise: str = "") -> None:
        super().__init__(
            f"{what} needs the library {library}, which is not installed. "
            f"Install it with: pip install 'tunesmith[{extra}]'" + (otherwise and f", {otherwise}")
        )


@contextlib.contextmanager
def core_errors(name: str | None) -> Iterator[None]:
    """Convert errors of the core to Python errors.   name: the file in messages; the core knows the line."""
    try:
        yield
    except (TunesmithError, UnicodeError):
        raise
    except ValueError as error:
        message, line = error.args if len(error.args) == 2 else (str(error), 0)
        raise FormatError(message, path=name, line=line or None) from None
    except OSError as error:
        if error.errno is not None:  # not raised by the core
            raise
        raise TunesmithError(str(error)) from None
