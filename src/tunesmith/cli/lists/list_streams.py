"""Lists that are read part by part and perhaps written again; what is to be said of them is said as they come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tunesmith.cli.console import note, remark
from tunesmith.cli.streams import expect_input

if TYPE_CHECKING:
    from tunesmith.search import CandidateSet, ListFile

_BAD_SHOWN = 5


class OpenLists(NamedTuple):
    """The parts of a file, in order, and the dialect that its lists are to be written in."""

    dialect: str
    parts: Iterator[ListFile]


def open_lists(
    file: str | None,
    dialect: str | None,
    to: str | None = None,
    *,
    skip_bad: bool = False,
    any_order: bool = False,
    whole: bool = False,
    quiet: bool = False,
) -> OpenLists:
    """Return a file of lists (standard input for None) or a folder of candidates.

    to: the dialect to write, that of the input where None.
    whole: one part, with sources and references; so it is where `to` cannot be written part by part.
    """
    from tunesmith.io import display_name
    from tunesmith.search import CandidateSet, ListFile, ListStream
    from tunesmith.search.dialects import make_dialect

    expect_input([] if file is None else [file], "a list", "tunesmith rerank < test.nbest")
    path = "-" if file is None else file
    if to is not None:
        make_dialect(to)  # a wrong name is refused before anything is read
    if path != "-" and Path(path).is_dir():
        return OpenLists(to or "moses", iter([ListFile(CandidateSet.load(path), "folder")]))
    stream = ListStream(path, dialect, skip_bad=skip_bad, any_order=any_order)
    name = display_name(path)
    if dialect is None and stream.dialect != "moses":
        note(f"{name}: {stream.dialect} ({stream.reason})", quiet=quiet)
    written = to or stream.dialect
    at_once = whole or make_dialect(written).writes_whole
    parts = iter([stream.whole()]) if at_once else stream.parts()
    return OpenLists(written, _telling_bad_lines(parts, name, quiet=quiet))


def _telling_bad_lines(parts: Iterable[ListFile], name: str, *, quiet: bool) -> Iterator[ListFile]:
    count = 0
    for part in parts:
        for line, message in part.bad.listed[: max(_BAD_SHOWN - count, 0)]:
            remark(f"{name}:{line}: left out: {message}", quiet=quiet)
        count += part.bad.count
        yield part
    if count:
        remark(f"{name}: {count} lines left out", quiet=quiet)


def write_lists(
    parts: Iterable[tuple[int, CandidateSet]], output: str, dialect: str, *inputs: str | None, lossy: bool
) -> None:
    """Write lists as they come, each part with the number of its first sentence."""
    from tunesmith.io import check_output
    from tunesmith.search import write_parts

    check_output(output, [path for path in inputs if path is not None])
    write_parts(parts, output, dialect, lossy=lossy)
