"""Base class of formats of search graphs: detection and reader, under a name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import ClassVar

from tunesmith.errors import ConfigError, FormatError
from tunesmith.features.index import FeatureIndex
from tunesmith.registry import Registry
from tunesmith.search.graphs.graph import SearchGraph
from tunesmith.settings import parse_named, read_settings


class Words(dict[str, int]):
    """Numbers of words; a new word gets the next number."""

    def __missing__(self, word: str) -> int:
        self[word] = number = len(self)
        return number


class FeatureNumbers(dict[str, int]):
    """Numbers of features in an index, which grows by new names."""

    def __init__(self, index: FeatureIndex) -> None:
        super().__init__()
        self.index = index

    def __missing__(self, name: str) -> int:
        try:
            self[name] = number = self.index.add(name)
        except ConfigError as error:
            raise ValueError(str(error)) from None
        return number


class Names:
    """Words and features of all graphs that are read together."""

    def __init__(self) -> None:
        self.words, self.features = Words(), FeatureNumbers(FeatureIndex())


class GraphFormat(ABC):
    """A text format of search graphs."""

    name: ClassVar[str]

    @property
    def files(self) -> tuple[str, ...]:
        """Settings that name files."""
        return ()

    @classmethod
    @abstractmethod
    def detect(cls, head: Sequence[str]) -> bool:
        """Return whether the first lines of a file are of this format."""

    @abstractmethod
    def read(self, lines: Iterable[str], path: str, names: Names) -> Iterator[SearchGraph]:
        """Yield the graphs of a file; FormatError with path and line for invalid data."""


graph_formats: Registry[GraphFormat] = Registry("format of search graphs", "tunesmith.graph_formats")


def make_format(text: str) -> GraphFormat:
    """Make a format from its name and, after a colon, its settings: `openfst:symbols=words.syms`."""
    name, values = parse_named(text)
    return graph_formats.make(name, **read_settings(graph_formats.get(name), values, f"the format {name}"))


def with_absolute_files(text: str) -> str:
    """Return the format with absolute names of the files in its settings (`GraphFormat.files`)."""
    name, values = parse_named(text)
    made = make_format(text) if name in graph_formats else None
    files = () if made is None else made.files
    changed = {key: str(Path(value).resolve()) if key in files else value for key, value in values.items()}
    return name if not changed else f"{name}:{','.join(f'{key}={value}' for key, value in changed.items())}"


def number_in(text: str, path: str, line: int, what: str) -> float:
    """Read a number; FormatError if it is invalid. Building the graph checks that it is finite."""
    try:
        return float(text)
    except ValueError:
        raise FormatError(f"{what} must be a number, got {text!r}", path=path, line=line) from None
