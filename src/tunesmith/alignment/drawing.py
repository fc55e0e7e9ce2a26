"""The alignment matrix of a sentence pair as text."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from tunesmith.alignment.pharaoh import Link


def draw(source: Sequence[str], target: Sequence[str], links: Sequence[Link]) -> list[str]:
    """Draw a matrix: source words next to the rows, target words above the columns, a mark at every link.

    Target words are written downwards; wide (Chinese) characters take two columns in a terminal and so do cells.
    """
    linked = set(links)
    margin = max((width(word) for word in source), default=0)
    depth = max((len(word) for word in target), default=0)
    lines = []
    for row in range(depth):
        cells = [_cell(_letter(word, row, depth)) for word in target]
        lines.append((" " * margin + " " + "".join(cells)).rstrip())
    for i, word in enumerate(source):
        cells = [_cell("■" if (i, j) in linked else "·") for j in range(len(target))]
        lines.append(" " * (margin - width(word)) + word + " " + "".join(cells).rstrip())
    return lines


def width(text: str) -> int:
    """Return the number of terminal columns of a text."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        for letter in text
    )


def _letter(word: str, row: int, depth: int) -> str:
    """Return the letter on a row of a word that is written downwards and ends on the last row."""
    at = row - (depth - len(word))
    return word[at] if at >= 0 else " "


def _cell(letter: str) -> str:
    return letter + " " * (2 - width(letter))
