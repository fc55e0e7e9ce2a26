"""n-best lists as text, in any dialect we know."""

from __future__ import annotations

import dataclasses

from tunesmith.errors import FormatError
from tunesmith.io import StrPath
from tunesmith.io.writing import output_bytes
from tunesmith.search.candidates import CandidateSet
from tunesmith.search.dialects import (
    BadLines,
    Dialect,
    ListFile,
    ListInput,
    detect_dialect,
    dialects,
    make_dialect,
)
from tunesmith.search.dialects.bars import BarDialect
from tunesmith.search.dialects.unsorted import SortedInput


def read_list(
    path: StrPath, dialect: str | None = None, *, skip_bad: bool = False, any_order: bool = False
) -> ListFile:
    """What a text file (plain, gzip, `-`) of lists holds.

    dialect: its name, with settings behind a colon where it has some (`flat:n=10`); recognised by its first lines
    where it is not given.
    skip_bad: lines with mistakes are left out and listed.
    any_order: sentences need not rise (those of fairseq, JSON and sockeye never need to).
    """
    wanted = None if dialect is None else make_dialect(dialect)  # a wrong name is told before a file is opened
    data = ListInput(path)
    if wanted is not None:
        return dataclasses.replace(_read(wanted, data, skip_bad, any_order), reason="as given")
    head = data.head()
    found = detect_dialect(head) if head else None
    if found is None and head:
        raise FormatError(
            f"this is no list that we know: {head[0][:60]!r}. Known are {', '.join(dialects)}; say which with "
            "--dialect (flat files need it: flat:n=10)",
            path=data.name,
            line=1,
        )
    name, reason = ("moses", "the file is empty") if found is None else (found[0], found[1].reason)
    return dataclasses.replace(_read(dialects.make(name), data, skip_bad, any_order), reason=reason)


def _read(dialect: Dialect, data: ListInput, skip_bad: bool, any_order: bool) -> ListFile:
    if not any_order or not isinstance(dialect, BarDialect):
        return dialect.read(data, skip_bad=skip_bad)
    ordered = SortedInput(data)
    try:
        found = dialect.read(ordered, skip_bad=skip_bad)
    except FormatError as error:
        raise ordered.error_of(error) from None
    listed = sorted((ordered.line_of(line), message) for line, message in found.bad.listed)
    return dataclasses.replace(found, bad=BadLines(found.bad.count, tuple(listed)))


def read_kbest(path: StrPath, dialect: str | None = None) -> CandidateSet:
    """The candidates of a text file; its dialect is recognised unless it is given."""
    return read_list(path, dialect).candidates


def write_kbest(candidates: CandidateSet, path: StrPath, dialect: str = "moses", *, lossy: bool = False) -> None:
    """Write candidates as text (gzip if the name ends in .gz, `-` is standard output), all or nothing.

    lossy: leave out what the dialect has no place for, which is an error otherwise.
    """
    with output_bytes(path) as out:
        for block in make_dialect(dialect).write(candidates, lossy=lossy):
            out.write(block.encode("utf-8"))
