"""Reading text and references by name, with detection of mix-ups before any work."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tunesmith.corpus.bitext import References, expand_paths
from tunesmith.corpus.reference_formats import read_any_references
from tunesmith.corpus.text_files import Placed, Text, TextFiles
from tunesmith.evaluation.mistakes import check_line_count, check_paths, path_notes

Tell = Callable[[str], None]


def read_text(files: TextFiles, remark: Tell, placed: Placed = str) -> Text:
    """Read source text and references; ConfigError or FormatError if they cannot belong together."""
    if not files.parallel:
        check_paths([files.source], expand_paths(files.references))

    def check(name: str, lines: Sequence[str], found: References) -> None:
        _tell(remark, [files.source], found)
        check_line_count(name, lines, found)

    return files.read(check, placed)


def read_reference_files(words: Sequence[str], systems: Sequence[str], remark: Tell) -> References:
    """Read references; refuses systems among them and references among the systems."""
    paths = expand_paths(words)
    check_paths(systems, paths)
    found = read_any_references(paths)
    _tell(remark, systems, found)
    return found


def _tell(remark: Tell, systems: Sequence[str], found: References) -> None:
    for text in (*path_notes(systems, found.paths), *found.notes):
        remark(text)
