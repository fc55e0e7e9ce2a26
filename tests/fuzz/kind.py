"""Kinds of input: how a good one is made, and what reads it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

Files = dict[str, bytes]
"""The files of an input by their path below its folder."""

OUT = "out"
"""Folder below that of a case into which a reader may write; everything elsewhere must stay as it is."""


@dataclass(frozen=True)
class Kind:
    """A kind of input.

    seeds: good inputs; made once, deterministic.   read: reads the input in a folder; raises only TunesmithError.
    damaged: names of files that are damaged; None for all.   reseal: makes checksums and sizes fit after damage.
    separators: between the fields of a line.   weight: share of the time, 1 as a rule.
    """

    name: str
    seeds: Callable[[], list[Files]]
    read: Callable[[Path], object]
    damaged: tuple[str, ...] | None = None
    reseal: Callable[[Mapping[str, bytes], Files, Random], Files] | None = None
    separators: tuple[bytes, ...] = (b" ", b"\t")
    weight: float = 1.0
    words: tuple[bytes, ...] = field(default=())


def one_file(*texts: bytes | str, name: str = "input") -> Callable[[], list[Files]]:
    """Seeds of one file each."""
    return lambda: [{name: text.encode() if isinstance(text, str) else text} for text in texts]


def files_of(folder: Path) -> Files:
    """All files below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
