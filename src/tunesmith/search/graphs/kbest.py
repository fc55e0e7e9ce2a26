"""n-best lists as text, in any known dialect."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterable, Iterator

from tunesmith.errors import FormatError
from tunesmith.io import StrPath
from tunesmith.io.writing import output_bytes
from tunesmith.search.dialects import Dialect, ListFile, ListInput, detect_dialect, dialects, make_dialect
from tunesmith.search.dialects.bars import BarDialect
from tunesmith.search.dialects.unsorted import SortedInput
from tunesmith.search.lists.candidates import CandidateSet


class ListStream:
    """A text file (plain, gzip, `-`) of lists of a known dialect, read once, as a whole or in parts.

    dialect, reason: dialect of the file, and how it was determined.
    """

    def __init__(
        self, path: StrPath, dialect: str | None = None, *, skip_bad: bool = False, any_order: bool = False
    ) -> None:
        self._dialect, self._data, self.reason = _opened(path, dialect)
        self.dialect = self._dialect.name
        self._skip_bad = skip_bad
        self._any_order = any_order

    def whole(self) -> ListFile:
        read, data = self._dialect.read, self._data
        if self._any_order and isinstance(self._dialect, BarDialect):
            with SortedInput(data) as ordered:
                return self._known(ordered.in_file(lambda: read(ordered, skip_bad=self._skip_bad)))
        return self._known(read(data, skip_bad=self._skip_bad))

    def parts(self) -> Iterator[ListFile]:
        """Yield the lists in parts of complete sentences: memory does not grow with the file.

        There is always a first part. Sentences must be ascending, unless any order is allowed: then `|||` lists
        are sorted on disk, and other dialects form one part. Lists of fairseq, whose sentences are never
        ascending, form one part too. Sources and references are read only with a single part.
        """
        if self._any_order and isinstance(self._dialect, BarDialect):
            with SortedInput(self._data) as ordered:
                parts = self._dialect.read_parts(ordered, skip_bad=self._skip_bad)
                while (part := ordered.in_file(lambda: next(parts, None))) is not None:
                    yield self._known(part)
        elif self._any_order:
            yield self.whole()
        else:
            yield from map(self._known, self._dialect.read_parts(self._data, skip_bad=self._skip_bad))

    def _known(self, found: ListFile) -> ListFile:
        return dataclasses.replace(found, reason=self.reason)


def read_list(
    path: StrPath, dialect: str | None = None, *, skip_bad: bool = False, any_order: bool = False
) -> ListFile:
    """Read a text file (plain, gzip, `-`) of lists.

    dialect: its name, with settings after a colon (`flat:n=10`); detected from the first lines if not given.
    skip_bad: skip and list invalid lines. any_order: sentences need not be ascending (never required for fairseq,
    JSON and sockeye).
    """
    return ListStream(path, dialect, skip_bad=skip_bad, any_order=any_order).whole()


def read_kbest(path: StrPath, dialect: str | None = None) -> CandidateSet:
    """Read the candidates of a text file; its dialect is detected unless given."""
    return read_list(path, dialect).candidates


def write_kbest(candidates: CandidateSet, path: StrPath, dialect: str = "moses", *, lossy: bool = False) -> None:
    """Write candidates as text (gzip if the name ends in .gz, `-` is standard output), all or nothing.

    lossy: omit data that the dialect cannot represent, which is an error otherwise.
    """
    with output_bytes(path) as out:
        for block in make_dialect(dialect).write(candidates, lossy=lossy):
            out.write(block.encode("utf-8"))


def write_parts(
    parts: Iterable[tuple[int, CandidateSet]], path: StrPath, dialect: str = "moses", *, lossy: bool = False
) -> None:
    """Write lists that come in parts, each with the number of its first sentence."""
    with output_bytes(path) as out:
        for block in make_dialect(dialect).write_parts(parts, lossy=lossy):
            out.write(block.encode("utf-8"))
            if os.fspath(path) == "-":
                out.flush()


def _opened(path: StrPath, dialect: str | None) -> tuple[Dialect, ListInput, str]:
    """Return the dialect of a file, its bytes, and how the dialect was determined."""
    wanted = None if dialect is None else make_dialect(dialect)  # a wrong name is refused before a file is opened
    data = ListInput(path)
    if wanted is not None:
        return wanted, data, "as given"
    head = data.head()
    found = detect_dialect(head) if head else None
    if found is None and head:
        raise FormatError(
            f"unrecognised n-best format; known formats: {', '.join(dialects)}. Name it with --dialect "
            "(flat files need it: flat:n=10)",
            path=data.name,
            line=1,
        )
    name, reason = ("moses", "the file is empty") if found is None else (found[0], found[1].reason)
    return dialects.make(name), data, reason
