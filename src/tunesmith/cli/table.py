"""Tables on a terminal (rich), in a file or pipe (plain columns), or to paste (Markdown)."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Container, Sequence

from tunesmith.cli.printing import say, terminal, visible_cell, watched

Rows = Sequence[Sequence[str]]
FIRST = (0,)


def print_table(
    header: Sequence[str], rows: Rows, *, markdown: bool = False, texts: Container[int] = FIRST
) -> None:
    """Print a table whose first column (or those of `texts`) is text and whose others are numbers."""
    if markdown:
        say("\n".join(markdown_table(header, rows)))
    elif watched(sys.stdout):
        _print_rich(header, rows, texts)
    else:
        say("\n".join(plain_table(header, rows, texts)))


def plain_table(header: Sequence[str], rows: Rows, texts: Container[int] = FIRST) -> list[str]:
    """Return lines of aligned columns, text to the left and numbers to the right."""
    shown = [[visible_cell(cell) for cell in row] for row in (header, *rows)]
    widths = [max(_width(row[at]) for row in shown) for at in range(len(header))]
    return ["  ".join(_cells(row, widths, texts)).rstrip() for row in shown]


def markdown_table(header: Sequence[str], rows: Rows) -> list[str]:
    """Return lines of a pipe table, readable before it is rendered too."""
    escaped = [
        [visible_cell(cell).replace("|", "\\|").replace("*", "\\*") for cell in row] for row in (header, *rows)
    ]
    widths = [max(3, *(_width(row[at]) for row in escaped)) for at in range(len(header))]
    rule = [":" + "-" * (widths[0] - 1), *("-" * (width - 1) + ":" for width in widths[1:])]
    return [
        f"| {' | '.join(row)} |"
        for row in (_cells(escaped[0], widths), rule, *(_cells(row, widths) for row in escaped[1:]))
    ]


def _cells(row: Sequence[str], widths: Sequence[int], texts: Container[int] = FIRST) -> list[str]:
    blanks = [" " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True)]
    return [
        cell + blank if at in texts else blank + cell
        for at, (cell, blank) in enumerate(zip(row, blanks, strict=True))
    ]


def _width(text: str) -> int:
    """Return columns that a terminal gives to the text."""
    return sum(
        0 if unicodedata.combining(character) else 1 + (unicodedata.east_asian_width(character) in "WF")
        for character in text
    )


def _print_rich(header: Sequence[str], rows: Rows, texts: Container[int]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    for at, title in enumerate(header):
        text = at in texts
        name = visible_cell(title)
        table.add_column(name, justify="left" if text else "right", overflow="fold", no_wrap=not text)
    for row in rows:
        table.add_row(*(Text(visible_cell(cell), style="bold" if cell.endswith("*") else "") for cell in row))
    terminal().print(table)
