"""Word alignments in memory and as text: Pharaoh format, `0-0 1-2`, one sentence pair a line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tunesmith import _core
from tunesmith.corpus.bitext import Bitext
from tunesmith.errors import FormatError, core_errors
from tunesmith.io import StrPath, display_name, read_lines, write_lines

Positions = NDArray[np.int32]
Offsets = NDArray[np.int64]
Link = tuple[int, int]


class WordAlignments:
    """Links (source position, target position) of many sentence pairs; within a pair sorted, none twice.

    As arrays: pair i has the links `source[k]-target[k]` for k from `offsets[i]` to `offsets[i + 1]`.
    """

    def __init__(self, native: _core.Alignments) -> None:
        self.native = native
        self.source: Positions = native.source()
        self.target: Positions = native.target()
        self.offsets: Offsets = native.offsets()

    @classmethod
    def from_links(cls, pairs: Iterable[Iterable[Link]]) -> WordAlignments:
        links, offsets = [], [0]
        for pair in pairs:
            links += list(pair)
            offsets.append(len(links))
        array = np.array(links, dtype=np.int32).reshape(-1, 2)
        source, target = np.ascontiguousarray(array[:, 0]), np.ascontiguousarray(array[:, 1])
        return cls(_core.Alignments.from_arrays(source, target, np.array(offsets, dtype=np.int64)))

    @classmethod
    def parse(cls, lines: Sequence[str], name: str | None = None) -> WordAlignments:
        """Parse lines in Pharaoh format; `name` is the file in error messages."""
        with core_errors(name or "alignment"):
            return cls(_core.Alignments.parse(lines))

    def __len__(self) -> int:
        return len(self.native)

    def __getitem__(self, pair: int) -> list[Link]:
        if not 0 <= pair < len(self):
            raise IndexError(f"pair {pair} of {len(self)}")
        part = slice(self.offsets[pair], self.offsets[pair + 1])
        return list(zip(self.source[part].tolist(), self.target[part].tolist(), strict=True))

    def __iter__(self) -> Iterator[list[Link]]:
        return (self[pair] for pair in range(len(self)))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, WordAlignments):
            return NotImplemented
        arrays = ((self.source, other.source), (self.target, other.target), (self.offsets, other.offsets))
        return all(np.array_equal(ours, theirs) for ours, theirs in arrays)

    __hash__ = None  # type: ignore[assignment]

    def lines(self) -> list[str]:
        return self.native.format()

    def check(self, bitext: Bitext, name: str | None = None) -> None:
        """Raise FormatError unless there is one alignment per sentence pair and every link lies inside it."""
        if len(self) != len(bitext):
            raise FormatError(
                f"{len(self)} alignments for {len(bitext)} sentence pairs; there must be one line for each",
                path=name,
            )
        pair_of_link = np.repeat(np.arange(len(self)), np.diff(self.offsets))
        for side, positions, texts in (
            ("source", self.source, bitext.source),
            ("target", self.target, bitext.target),
        ):
            lengths = np.array([len(text.split()) for text in texts], dtype=np.int64)
            outside = np.flatnonzero(positions >= lengths[pair_of_link])
            if outside.size:
                link, pair = outside[0], int(pair_of_link[outside[0]])
                raise FormatError(
                    f"link {self.source[link]}-{self.target[link]}: the {side} sentence has only "
                    f"{lengths[pair]} words, numbered from 0",
                    path=name,
                    line=pair + 1,
                )


def read_alignments(path: StrPath, bitext: Bitext | None = None) -> WordAlignments:
    """Read Pharaoh format; with `bitext`, check that it belongs to these sentence pairs."""
    name = display_name(path)
    alignments = WordAlignments.parse(read_lines(path), name)
    if bitext is not None:
        alignments.check(bitext, name)
    return alignments


def write_alignments(path: StrPath, alignments: WordAlignments) -> None:
    write_lines(path, alignments.lines())
