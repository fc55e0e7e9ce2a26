"""Lines in, lines out; and an input without data: say what is expected instead of waiting in silence."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Annotated

from tunesmith.cli.declaring import argument
from tunesmith.cli.printing import watched
from tunesmith.errors import ConfigError
from tunesmith.io import check_output, iter_lines, write_lines

InputFile = Annotated[str | None, argument("FILE", "Text, plain or gzip; - or nothing is standard input.")]


def map_lines(change: Callable[[str], str], file: str | None, output: str, example: str) -> None:
    """Write one changed line for every line read."""
    expect_input([] if file is None else [file], "text", example)
    check_output(output, [] if file is None else [file])
    write_lines(output, map(change, iter_lines("-" if file is None else file)))


def expect_input(paths: Sequence[str], what: str, example: str) -> None:
    """Refuse to read from a terminal; `-` given by name is the user's wish and is read."""
    if not paths and watched(sys.stdin):
        raise ConfigError(f"expected {what} on standard input or as a file, for example: {example}")
