"""Text by the names of its files, so that a description of work can name it and any process can read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import msgspec

from tunesmith.corpus.bitext import References, expand_paths, read_bitext
from tunesmith.corpus.reference_formats import read_any_references
from tunesmith.errors import ConfigError, FormatError
from tunesmith.io import StrPath, display_name, read_lines
from tunesmith.io.digest import Digest

Check = Callable[[str, Sequence[str], References], None]
Placed = Callable[[str], StrPath]
"""Function from the name of a file to its place, in a folder of tunesmith where no link is followed."""


class Text(NamedTuple):
    """Lines and the references of each, and the domain of each where there are some."""

    lines: Sequence[str]
    references: Sequence[tuple[str, ...]]
    labels: Sequence[str] | None = None

    def labelled(self) -> Sequence[str]:
        """Return the lines, with labels each after its label and a tab, as a model with domains decodes them."""
        return self.lines if self.labels is None else labelled(self.lines, self.labels)

    def digest(self) -> str:
        digest = Digest()
        for line, texts in zip(self.labelled(), self.references, strict=True):
            digest.add("\n".join([line, str(len(texts)), *texts, ""]))
        return digest.hex()


def labelled(lines: Iterable[str], labels: Sequence[str]) -> list[str]:
    """Return lines with their labels, as the decoder of a model with domains takes them."""
    return [f"{label}\t{line}" for label, line in zip(labels, lines, strict=True)]


def label_set(given: str) -> frozenset[str]:
    """Return the labels of a training pair, which may have several: `news/web`."""
    names = given.split("/")
    if not all(names):
        raise FormatError(f"the label {given!r} has an empty part; labels of one pair are joined by /")
    return frozenset(names)


def read_label_file(path: StrPath) -> list[str]:
    """Read one label a line."""
    labels = [line.strip() for line in read_lines(path)]
    for number, label in enumerate(labels, 1):
        if label.split() != [label]:
            raise FormatError(f"a label is one word, got {label[:80]!r}", path=display_name(path), line=number)
    return labels


def read_labels(path: StrPath, expected: int, expected_name: str) -> list[str]:
    """Read one label a line; FormatError unless there are `expected`."""
    labels = read_label_file(path)
    if len(labels) != expected:
        raise FormatError(f"{len(labels)} labels for {expected} lines of {expected_name}", path=display_name(path))
    return labels


class TextFiles(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Source text with its references.

    references: names or globs.   parallel: they are one file, the target side of training data, which may have
    empty lines.   digest: of what the files hold; without one, whatever they hold is taken.
    raw: whoever decodes it does first what the model does to raw text.
    labels: a file with the domain of each line.
    """

    source: str
    references: tuple[str, ...]
    parallel: bool = False
    digest: str = ""
    raw: bool = False
    labels: str | None = None

    def read(self, check: Check | None = None, placed: Placed = str) -> Text:
        """Read all files; ConfigError where they changed.   check: sees name, lines and references before."""
        if self.parallel:
            bitext = read_bitext(placed(self.source), placed(self.references[0]))
            text = Text(bitext.source, [(line,) for line in bitext.target])
        else:
            lines = read_lines(placed(self.source))
            found = read_any_references([placed(path) for path in expand_paths(self.references)])
            if check is not None:
                check(self.source, lines, found)
            if len(lines) != len(found.sentences):
                raise ConfigError(
                    f"{self.source}: {len(lines)} lines, and references of {len(found.sentences)} sentences; both "
                    "must be the same sentences in the same order"
                )
            text = Text(lines, found.sentences)
        if self.labels is not None:
            text = text._replace(labels=read_labels(placed(self.labels), len(text.lines), self.source))
        if self.digest and self.digest != text.digest():
            raise ConfigError(f"{self.source}: text or references changed since this work was described")
        return text

    def sealed(self) -> TextFiles:
        """Return the files by absolute names, with a digest of what they hold now."""
        if "-" in (self.source, *self.references):
            raise ConfigError("text from standard input has no name that another process could read; use a file")
        names = tuple(str(Path(name).resolve()) for name in expand_paths(self.references))
        source = str(Path(self.source).resolve())
        labels = None if self.labels is None else str(Path(self.labels).resolve())
        files = msgspec.structs.replace(self, source=source, references=names, digest="", labels=labels)
        return msgspec.structs.replace(files, digest=files.read().digest())


class Lines(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Some lines to decode: a block of work.   numbers: which lines of the training data they are, if they are."""

    lines: list[str]
    numbers: list[int] | None = None


def line_blocks(lines: Iterable[str], size: int, *, numbered: bool = False) -> Iterator[Lines]:
    """Yield blocks of `size` lines, as they come.   numbered: with their numbers, from 0."""
    stream, first = iter(lines), 0
    while block := list(islice(stream, size)):
        yield Lines(block, list(range(first, first + len(block))) if numbered else None)
        first += len(block)
