"""A corpus of a few sentences that can be checked by hand: German, English, alignment."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tunesmith.io import write_lines

PAIRS = [
    ("ich trinke tee", "i drink tea", "0-0 1-1 2-2"),
    ("ich trinke kaffee", "i drink coffee", "0-0 1-1 2-2"),
    ("er trinkt tee", "he drinks tea", "0-0 1-1 2-2"),
    ("heute trinke ich tee", "i drink tea today", "2-0 1-1 3-2 0-3"),
    ("der kaffee ist heiß", "the coffee is hot", "0-0 1-1 2-2 3-3"),
]


def write_pairs(folder: Path, pairs: Sequence[tuple[str, str, str]] = PAIRS) -> list[str]:
    """The files f, e and a; the options of `tunesmith train` that name them."""
    for column, name in enumerate("fea"):
        write_lines(folder / name, [pair[column] for pair in pairs])
    return ["--source", str(folder / "f"), "--target", str(folder / "e"), "--align", str(folder / "a")]
