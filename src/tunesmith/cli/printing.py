"""Everything that is printed. Text for users is made harmless here; data goes out as it is.

Names, sentences and messages come from files of others, who may have put escape sequences into them. Nothing else
in the package prints; a test keeps it so.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from tunesmith.errors import TunesmithError, shortened

if TYPE_CHECKING:
    from rich.console import Console

# Control characters (C0, DEL, C1), the overrides and isolates of writing direction, halves of surrogate pairs.
_HARMFUL = "\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff"
_IN_TEXT = re.compile(f"[{_HARMFUL}]")
_IN_CELLS = re.compile(f"[\t\n{_HARMFUL}]")


def visible(text: str) -> str:
    """Spell out control characters as Python writes them, except newlines and tabs."""
    return _IN_TEXT.sub(_spelt, text)


def visible_cell(text: str) -> str:
    """Spell out all control characters, so that the text stays on one line and in one column."""
    return _IN_CELLS.sub(_spelt, text)


def _spelt(found: re.Match[str]) -> str:
    return ascii(found.group())[1:-1]


def say(text: str = "", *, end: str = "\n") -> None:
    """Print text for users on standard output."""
    put(visible(text), end=end)


def one_message(text: str) -> str:
    """Spell out line breaks, except before indented lines (the last lines that a decoder printed)."""
    return re.sub(r"\n(?!  )", r"\\n", text)


def tell(text: str) -> None:
    """Print a message for users on standard error; a closed or full stream cannot be reported anywhere."""
    with contextlib.suppress(OSError, ValueError):
        _write(sys.stderr, "\n".join(visible(shortened(line)) for line in text.split("\n")) + "\n")
        sys.stderr.flush()


def put(text: str, *, end: str = "\n") -> None:
    """Print data for programs on standard output, unchanged."""
    with _output_errors():
        _write(sys.stdout, text + end)


def put_json(document: Any, *, indent: int | None = None) -> None:
    """Print a JSON document on standard output. Half a surrogate pair is written as JSON spells it."""
    put(json.dumps(document, indent=indent, ensure_ascii=False))


def flush_output() -> None:
    """Write what Python still holds back."""
    with _output_errors():
        if sys.stdout is not None:
            sys.stdout.flush()


@contextlib.contextmanager
def _output_errors() -> Iterator[None]:
    """Name standard output in errors; a closed pipe is for the caller, who ends in silence."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        abandon_output()
        raise TunesmithError(f"standard output: {error.strerror or error}") from None


def settle_output() -> None:
    """Write what is left if that can be done. Something went wrong before, and one error is enough."""
    try:
        flush_output()
    except (BrokenPipeError, TunesmithError):
        abandon_output()


def abandon_output() -> None:
    """Let nothing more be written to standard output, not even what Python still holds back for its end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):  # a stream that is not a file
        output = sys.stdout.fileno()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, output)
        os.close(nowhere)


def terminal(*, stderr: bool = False) -> Console:
    """Return where rich draws tables and progress; text for it has to be `visible` and is not read as markup."""
    from rich.console import Console

    return Console(stderr=stderr, markup=False, highlight=False, emoji=False)


def watched(stream: TextIO | None) -> bool:
    """Return whether a person looks at the stream."""
    return stream is not None and stream.isatty()


def _write(stream: TextIO | None, text: str) -> None:
    if stream is None:
        return
    try:
        stream.write(text)
    except UnicodeEncodeError:  # a name of a file, or a locale without these letters
        encoding = stream.encoding or "ascii"
        stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
