"""Source sentences of lists that come in parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tunesmith.errors import ConfigError

if TYPE_CHECKING:
    from tunesmith.search import ListFile


class ListSources:
    """Source sentences: those of a file, else those that the lists carry.

    path: the file; None for the lists alone.
    joined: whether subword pieces are joined to words, for metrics; features see the pieces.
    subwords: the kind of pieces that was asked for, see `join_sources`.
    """

    def __init__(self, path: str | None, *, joined: bool, subwords: str | None = None) -> None:
        from tunesmith.io import read_lines

        self._path, self._joined, self._subwords = path, joined, subwords
        self._lines = None if path is None else self._words(read_lines(path))
        self._seen = 0

    def __bool__(self) -> bool:
        """Return whether there is a file. Lists carry sources only where they are read whole."""
        return self._lines is not None

    def of(self, part: ListFile) -> Sequence[str] | None:
        """Return the sources of a part, None if unknown; ConfigError where the file is too short."""
        self._seen = part.first + part.candidates.sentences
        if self._lines is None:
            return None if part.sources is None else self._words(part.sources)
        if self._seen > len(self._lines):
            raise self._other_length("more")
        return self._lines[part.first : self._seen]

    def check_end(self) -> None:
        """Refuse, after the last part, a file that has more sentences than the lists."""
        if self._lines is not None and self._seen < len(self._lines):
            raise self._other_length(str(self._seen))

    def _words(self, lines: Sequence[str]) -> Sequence[str]:
        from tunesmith.corpus.subwords import join_sources

        return join_sources(lines, self._subwords, self._path) if self._joined else lines

    def _other_length(self, sentences: str) -> ConfigError:
        return ConfigError(
            f"{self._path}: has {len(self._lines or ())} source sentences, the lists have {sentences}; give the "
            "sources of the same sentences in the same order"
        )
