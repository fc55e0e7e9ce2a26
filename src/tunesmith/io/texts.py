"""Several text files as one stream of lines, with errors that name the file."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from tunesmith.errors import FormatError
from tunesmith.io.paths import StrPath, display_name
from tunesmith.io.reading import iter_lines


class Texts:
    """Lines of all files in order; `-` is standard input."""

    def __init__(self, paths: Sequence[StrPath]) -> None:
        self._paths = list(paths)
        self._ends: list[int] = []  # lines up to the end of each file read so far

    def __iter__(self) -> Iterator[str]:
        count = 0
        for path in self._paths:
            for line in iter_lines(path):
                count += 1
                yield line
            self._ends.append(count)

    @contextlib.contextmanager
    def located(self) -> Iterator[None]:
        """Convert errors of line n of the stream, without a path, to errors with a file and its own line."""
        try:
            yield
        except FormatError as error:
            if error.path is not None:
                raise
            if error.line is None:
                raise FormatError(error.message, path=", ".join(map(display_name, self._paths))) from None
            before = [end for end in self._ends if end < error.line]
            name = display_name(self._paths[len(before)])
            raise FormatError(error.message, path=name, line=error.line - (before[-1] if before else 0)) from None
