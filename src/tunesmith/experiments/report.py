"""The page of an experiment: one HTML file that needs no other, for light and dark screens."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping
from pathlib import Path

from tunesmith.experiments.table import HEADER, Table, published_table
from tunesmith.io import atomic_writer

_TITLES = {
    "scores": "BLEU of every row",
    "sweeps": "Settings tried on devtest",
    "groups": "Sizes of the groups",
}
_STYLE = """
:root { color-scheme: light dark; --ink: #1f2933; --soft: #667380; --line: #d9dfe5; --paper: #fff;
  --good: #b8560b; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ed; --soft: #98a3af; --line: #333c45; --paper: #14181c; --good: #f0a35e; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2.5rem auto;
  max-width: 62rem; padding: 0 1.2rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2.4rem; }
table { border-collapse: collapse; font-size: 0.92rem; font-variant-numeric: tabular-nums; width: 100%; }
th, td { padding: 0.3rem 0.6rem; text-align: right; border-bottom: 1px solid var(--line); white-space: nowrap; }
th:nth-child(-n+3), td:nth-child(-n+3) { text-align: left; }
th { color: var(--soft); font-weight: 500; } td b { color: var(--good); } tr.base td { font-style: italic; }
.scroll { overflow-x: auto; } svg { max-width: 100%; height: auto; }
p.small, dl { color: var(--soft); font-size: 0.92rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.1rem 1rem; }
dd { margin: 0; color: var(--ink); }
code { font-size: 0.8rem; overflow-wrap: anywhere; color: var(--soft); }
"""


def write_report(path: Path, table: Table, pictures: Mapping[str, str]) -> None:
    """Write the page, whole or not at all."""
    with atomic_writer(path) as out:
        out.write(page(table, pictures))


def page(table: Table, pictures: Mapping[str, str]) -> str:
    """The HTML text. Pictures are SVG that draws in the colour of the text."""
    facts = "".join(
        f"<dt>{_text(name)}</dt><dd>{_text(_shown(value))}</dd>" for name, value in table.facts.items()
    )
    published = [each for each in table.results if each.row.published is not None]
    parts = [
        f"<h1>{_text(table.title)}</h1>",
        f"<dl>{facts}</dl>",
        _table(HEADER, table.rows(), [each.row.name == table.base for each in table.results]),
        '<p class="small">Δ and p (paired bootstrap) are against the row in italics: default features, tuned on '
        "dev, best on devtest. Bold: p &lt; 0.05. ± is half of the 95 % interval of test.</p>",
    ]
    for name, svg in pictures.items():
        parts += [f"<h2>{_text(_TITLES.get(name, name))}</h2>", svg]
    if published:
        header, rows = published_table(published)
        parts += ["<h2>What the paper printed for its own data</h2>", _table(header, rows, [False] * len(rows))]
    parts.append(f"<p><code>{_text(str(table.signature))}</code></p>")
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_text(table.title)}</title><style>{_STYLE}</style></head><body>\n{body}\n</body></html>\n"
    )


def _table(header: tuple[str, ...] | list[str], rows: list[list[str]], base: list[bool]) -> str:
    head = "".join(f"<th>{_text(cell)}</th>" for cell in header)
    lines = []
    for cells, is_base in zip(rows, base, strict=True):
        kind = ' class="base"' if is_base else ""
        lines.append(f"<tr{kind}>" + "".join(f"<td>{_text(cell)}</td>" for cell in cells) + "</tr>")
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(lines)}</tbody></table></div>'
    )


def _text(cell: str) -> str:
    """Escaped, with the bold of Markdown as that of HTML."""
    return re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", html.escape(cell))


def _shown(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)
