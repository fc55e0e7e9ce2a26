"""Which sentences are one document."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tunesmith.errors import ConfigError
from tunesmith.io import StrPath, read_lines


@dataclass(frozen=True, eq=False)
class Documents:
    """The number of each sentence's document, from 0 on, never falling."""

    numbers: NDArray[np.int64]

    @classmethod
    def read(cls, path: StrPath) -> Documents:
        """Read a file with the name of its document for each sentence; another name begins another document."""
        names = [line.strip() for line in read_lines(path)]
        if not names:
            raise ConfigError(f"{path}: has no lines; write the name of its document for each sentence")
        if empty := [at for at, name in enumerate(names, 1) if not name]:
            raise ConfigError(f"{path}:{empty[0]}: is empty; write the name of its document for each sentence")
        return cls(np.cumsum([0, *(one != other for one, other in pairwise(names))]))


def numbers_of(document: int | Documents | None, sentences: int) -> NDArray[np.int64]:
    """Return the number of each sentence's document.

    document: lines of each, or the documents; None for one of all.
    """
    if not isinstance(document, Documents):
        return np.arange(sentences) // (document or max(sentences, 1))
    if len(document.numbers) != sentences:
        raise ConfigError(
            f"there are documents of {len(document.numbers)} sentences, and {sentences} to learn on; the file "
            "must have a line for each"
        )
    return document.numbers


def read_documents(text: str, before: Any) -> int | Documents | None:
    """Return what a user typed: a number of lines, a file, or `none`."""
    if text.lower() == "none":
        return None
    return int(text) if text.lstrip("+-").isascii() and text.lstrip("+-").isdigit() else Documents.read(text)
