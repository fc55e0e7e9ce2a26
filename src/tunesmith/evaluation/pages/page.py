"""Skeleton of pages: one HTML file without other files and network, for phones, light and dark screens.

Text is escaped here; HTML comes from this module or `charts`.
"""

from __future__ import annotations

import difflib
import html
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tunesmith.evaluation.pages.labels import text_units

LIGHT = """--ink: #1d2530; --soft: #5f6a77; --faint: #98a2ad; --line: #e3e7ec; --paper: #fbfbfa;
  --card: #ffffff; --good: #1d7a4f; --bad: #b3402e; --good-back: #dff2e7; --bad-back: #fae3de; --c1: #2a6fb0;
  --c2: #a8580c; --c3: #5b53a8; --c4: #a34a86; --c5: #77670c; --c6: #5d6b7a; --c7: #0f7f8c; --c8: #8a5a3c;"""
"""Colours of light screens. Green and red (good, bad) mark judgements; lines of charts (c1 to c8) have other
colours.
"""

DARK = """--ink: #e7eaee; --soft: #9ba6b2; --faint: #6c7784; --line: #2b333c; --paper: #12161a;
    --card: #191e24; --good: #6fcf9a; --bad: #f0907e; --good-back: #173527; --bad-back: #43231d; --c1: #6cb0ee;
    --c2: #f0a35e; --c3: #aaa2f5; --c4: #dc8cc2; --c5: #d3c25c; --c6: #a5b1be; --c7: #5fc9d6; --c8: #d0a384;"""

STYLE = (
    f""":root {{ color-scheme: light dark; {LIGHT} }}
@media (prefers-color-scheme: dark) {{
  :root {{ {DARK} }}
}}"""
    + """
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Noto Sans CJK SC", sans-serif;
  color: var(--ink); background: var(--paper); margin: 0 auto; max-width: 66rem; padding: 2.2rem 1.2rem 4rem;
  overflow-wrap: break-word; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 0.1rem 0 0.3rem; letter-spacing: -0.01em; }
h2 { font-size: 1.2rem; margin: 3rem 0 0.6rem; padding-top: 0.9rem; border-top: 1px solid var(--line); }
h3 { font-size: 0.95rem; font-weight: 600; margin: 0 0 0.3rem; }
p { margin: 0.5rem 0; max-width: 46rem; }
.over { color: var(--soft); font-size: 0.8rem; letter-spacing: 0.08em; text-transform: uppercase; margin: 0; }
.small, figcaption { color: var(--soft); font-size: 0.86rem; }
.missing { color: var(--soft); font-size: 0.92rem; border-left: 3px solid var(--line); padding-left: 0.8rem; }
.good { color: var(--good); } .bad { color: var(--bad); }
.hero { display: flex; flex-wrap: wrap; gap: 1.1rem 2.2rem; align-items: flex-start; margin: 1.4rem 0 0.4rem; }
.hero div { min-width: 5.5rem; max-width: 13rem; }
.hero b { display: block; font-size: 1.35rem; font-weight: 600; line-height: 1.2;
  font-variant-numeric: tabular-nums; } .hero .first b { font-size: 2.7rem; line-height: 1;
  letter-spacing: -0.02em; }
.hero span { color: var(--soft); font-size: 0.84rem; line-height: 1.4; display: block; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 19.5rem), 1fr)); gap: 1rem;
  margin: 1rem 0; }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 0.9rem 0.9rem 0.6rem; min-width: 0; }
.grid.pair { grid-template-columns: repeat(auto-fill, minmax(min(100%, 26rem), 1fr)); }
.grid.pair svg { max-width: 25rem; }
figure svg { display: block; width: 100%; height: auto; font: 12px system-ui, "Noto Sans", "Noto Sans CJK SC",
  sans-serif; }
.legend { display: flex; flex-wrap: wrap; gap: 0.1rem 0.9rem; font-size: 0.8rem; color: var(--soft);
  margin: 0 0 0.2rem; } .legend i { display: inline-block; width: 0.8rem; height: 0.22rem; border-radius: 2px;
  margin-right: 0.35rem; vertical-align: middle; }
.scroll { overflow-x: auto; -webkit-overflow-scrolling: touch; margin: 0.8rem 0; }
table { border-collapse: collapse; font-size: 0.9rem; font-variant-numeric: tabular-nums; min-width: 50%; }
th, td { padding: 0.32rem 0.9rem 0.32rem 0; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; vertical-align: top; } th { color: var(--soft); font-weight: 500; }
th { white-space: normal; vertical-align: bottom; } th.text, td.text, th.long, td.long { text-align: left; }
td.text, td.long { white-space: normal; overflow-wrap: anywhere; min-width: 5.5rem; }
td.text:first-child { min-width: 9.5rem; } td.long { min-width: 11rem; }
tr.base td { font-style: italic; }
.sentence { background: var(--card); border: 1px solid var(--line); border-radius: 10px;
  padding: 0.8rem 0.95rem; margin: 0.8rem 0; } .sentence p { margin: 0.2rem 0; max-width: none; }
.sentence dl, dl.facts { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: 0.15rem 0.9rem;
  margin: 0.4rem 0 0; } dt { color: var(--soft); font-size: 0.86rem; } dd { margin: 0; }
ins, del { text-decoration: none; border-radius: 3px; padding: 0 0.15em; } ins { background: var(--good-back); }
del { background: var(--bad-back); }
.grid.wide { grid-template-columns: minmax(0, 28rem); }
details { margin: 0.5rem 0; } summary { cursor: pointer; color: var(--soft); font-size: 0.9rem; }
pre { overflow-x: auto; font: 12px/1.45 ui-monospace, "Noto Sans Mono", "Noto Sans Mono CJK SC", monospace; }
code { font: 0.8rem/1.5 ui-monospace, "Noto Sans Mono", monospace; overflow-wrap: anywhere; color: var(--soft); }
@media (max-width: 30rem) { body { padding: 1.3rem 0.9rem 3rem; } .hero { gap: 0.9rem 1.6rem; }
  .sentence dl, dl.facts { grid-template-columns: minmax(0, 1fr); gap: 0; } .sentence dt { margin-top: 0.35rem; } }
@media (max-width: 40rem) { table { font-size: 0.84rem; width: 100%; } th, td { padding-right: 0.6rem; }
  th:last-child, td:last-child { padding-right: 0; } td.text, td.text:first-child { min-width: 0; }
  table.stack, .stack tbody { display: block; }
  .stack thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .stack tr { border-bottom: 1px solid var(--line); padding: 0.45rem 0; display: grid; gap: 0 1.6rem;
    grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); }
  .stack td, .stack td.text, .stack td.long { border: 0; padding: 0.06rem 0; min-width: 0; white-space: normal;
    text-align: right; overflow-wrap: anywhere; display: flex; justify-content: space-between; gap: 1.2rem; }
  .stack td::before { content: attr(data-name); color: var(--soft); flex: none; max-width: 50%; text-align: left; }
  .stack td:first-child, .stack td.long { grid-column: 1 / -1; }
  .stack td:first-child { font-weight: 600; } .stack td:first-child::before { font-weight: 400; }
  .stack td.long { text-align: left; flex-direction: column; gap: 0; } .stack td.empty { display: none; } }
@media print { body { max-width: none; } figure, .sentence { break-inside: avoid; } }
"""
)

_PHONE, _LETTER, _BETWEEN, _NAME = 360.0, 7.6, 11.0, 14.0
"""Pixels of a table on a phone, of a letter, between columns; letters before a name is wrapped."""


@dataclass(frozen=True)
class Table:
    """A table with text cells.

    Columns in `texts` are left-aligned, the others are numbers; `long` columns may wrap.

    marked: rows in italics.
    strong: highlighted cells, by row and column, with a kind: `good`, `bad`, or nothing.
    """

    header: Sequence[str]
    rows: Sequence[Sequence[str]]
    texts: frozenset[int] = frozenset({0})
    long: frozenset[int] = frozenset()
    marked: frozenset[int] = frozenset()
    strong: Mapping[tuple[int, int], str] = field(default_factory=dict)


def page(title: str, body: Iterable[str]) -> str:
    """Make the complete file; the parts of the body are HTML."""
    text = "\n".join(body)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>\n<main>\n{text}\n</main>\n</body></html>\n"
    )


def escape(text: object) -> str:
    """Escape text for HTML. Characters that HTML forbids become U+FFFD."""
    clean = "".join(each if each in "\t\n" or each >= " " else "\ufffd" for each in str(text))
    return html.escape(clean.encode("utf-8", "replace").decode())


def heading(text: str) -> str:
    return f"<h2>{escape(text)}</h2>"


def paragraph(text: str, kind: str = "") -> str:
    """Make a paragraph of text; kinds are `small`, `over` and `missing`."""
    return f'<p class="{kind}">{escape(text)}</p>' if kind else f"<p>{escape(text)}</p>"


def missing(text: str) -> str:
    """Make a paragraph that explains what a section lacks."""
    return paragraph(text, "missing")


def table(content: Table) -> str:
    """Make a table. On a phone, rows of a table that is too wide become lists of cells."""
    wide = _width(content) > _PHONE

    def kinds(at: int, text: str = " ") -> str:
        names = [name for name, columns in (("text", content.texts), ("long", content.long)) if at in columns]
        names += [] if text else ["empty"]
        return f' class="{" ".join(names)}"' if names else ""

    def role(name: str) -> str:
        return f' role="{name}"' if wide else ""  # a table with another layout loses its roles

    def cell(row: int, at: int, text: str) -> str:
        judged = content.strong.get((row, at))
        kind = f' class="{judged}"' if judged else ""
        shown = escape(text) if judged is None else f"<b{kind}>{escape(text)}</b>"
        name = f' data-name="{escape(content.header[at])}"' if wide else ""
        return f"<td{kinds(at, text)}{name}{role('cell')}>{shown}</td>"

    head = "".join(
        f'<th scope="col"{kinds(at)}{role("columnheader")}>{escape(text)}</th>'
        for at, text in enumerate(content.header)
    )
    rows = []
    for number, cells in enumerate(content.rows):
        base = ' class="base"' if number in content.marked else ""
        rows.append(
            f"<tr{base}{role('row')}>" + "".join(cell(number, at, text) for at, text in enumerate(cells)) + "</tr>"
        )
    stack = f' class="stack"{role("table")}' if wide else ""
    return (
        f'<div class="scroll" tabindex="0"><table{stack}><thead{role("rowgroup")}><tr{role("row")}>'
        f"{head}</tr></thead><tbody{role('rowgroup')}>{''.join(rows)}</tbody></table></div>"
    )


def _width(content: Table) -> float:
    """Estimate the width of the table in pixels on a phone, where names may wrap."""
    width = 0.0
    for at in range(len(content.header)):
        letters = max(text_units(row[at]) for row in (content.header, *content.rows) if at < len(row))
        letters = 2 * _NAME if at in content.long else min(letters, _NAME) if at in content.texts else letters
        width += _LETTER * letters + _BETWEEN
    return width


def facts(found: Mapping[str, object]) -> str:
    """Make a two-column list of names with values."""
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{escape(value)}</dd>" for name, value in found.items())
    return f'<dl class="facts">{rows}</dl>'


def hero(numbers: Sequence[tuple[str, str]]) -> str:
    """Make the headline numbers with their descriptions; the first one is the largest."""
    parts = [
        f"<div{' class=first' if at == 0 else ''}><b>{escape(number)}</b><span>{escape(what)}</span></div>"
        for at, (number, what) in enumerate(numbers)
    ]
    return f'<div class="hero">{"".join(parts)}</div>'


def folded(summary: str, inside: str) -> str:
    """Make HTML that is shown on request."""
    return f"<details><summary>{escape(summary)}</summary>{inside}</details>"


def preformatted(text: str) -> str:
    """Make preformatted text."""
    return f'<pre tabindex="0">{escape(text)}</pre>'


def word_changes(before: str, after: str) -> tuple[str, str]:
    """Return both texts as HTML, with changed words marked."""
    old, new = before.split(), after.split()
    marked: tuple[list[str], list[str]] = ([], [])
    for what, i, j, k, m in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        for out, words, tag in ((marked[0], old[i:j], "del"), (marked[1], new[k:m], "ins")):
            if words:
                text = escape(" ".join(words))
                out.append(text if what == "equal" else f"<{tag}>{text}</{tag}>")
    return " ".join(marked[0]), " ".join(marked[1])
