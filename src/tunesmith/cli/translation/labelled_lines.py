"""Domains of the lines that `tunesmith translate` reads: a file of labels, or a first column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from tunesmith.errors import ConfigError, FormatError
from tunesmith.io import iter_lines

if TYPE_CHECKING:
    from tunesmith.decoding import Decoder


class Labels:
    """Reader of the labels of lines as they come.   path: a label a line; None where lines are label<TAB>text."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._labels: Iterator[str] | None = None if path is None else iter_lines(path)
        self._done = 0

    @classmethod
    def of(cls, decoder: Decoder, path: str | None) -> Labels | None:
        """Return the labels that a model with domains takes; None for any other model."""
        if decoder.domains is None and path is not None:
            raise ConfigError("--labels: this model has no domains; leave the labels out")
        return None if decoder.domains is None else cls(path)

    def split(self, lines: Sequence[str]) -> tuple[list[str], list[str]]:
        """Return labels and texts of the next lines."""
        first, self._done = self._done + 1, self._done + len(lines)
        if self._labels is not None:
            labels = [line.strip() for line in islice(self._labels, len(lines))]
            if len(labels) < len(lines):
                raise FormatError(
                    f"has {first + len(labels) - 1} labels, fewer than there are lines to translate",
                    path=self._path,
                )
            return labels, list(lines)
        parts = [line.partition("\t") for line in lines]
        for number, (_, tab, _) in enumerate(parts, first):
            if not tab:
                raise FormatError(
                    "a line without a label: give --labels FILE, or lines label<TAB>text", line=number
                )
        return [label for label, _, _ in parts], [text for _, _, text in parts]

    def finish(self) -> None:
        """Refuse labels that are left over: they are of another text."""
        if self._labels is not None and next(self._labels, None) is not None:
            raise FormatError(f"has more labels than the {self._done} lines that were translated", path=self._path)
