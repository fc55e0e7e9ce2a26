"""Published tables as data: `docs/research/tables/PAGE.json`, compared with the pages.

    python tools/published_tables.py check                 pages and files say the same; part of `make docs`
    python tools/published_tables.py take PAGE.md          new tables of a page to its file
    python tools/published_tables.py take PAGE.md --run FOLDER    with the signature in FOLDER/table.json
    python tools/published_tables.py write PAGE.md         the tables of the file to the page

A table on a page stands below a line `<!-- table: NAME -->`, which `take` writes. Every table of measured figures
must have one: on research pages every table with more than three numbers, elsewhere every table of numbers with a
decimal point. A table of the file has the signature of what computed it, or null and a `note`; its columns, which
say with how many digits numbers are printed; and rows of numbers and texts.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
NOT_RECORDED = "the signature was not recorded with the table"
_MARK = re.compile(r"<!-- table: ([\w-]+) -->")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?")
_RULER = re.compile(r":?-{2,}:?|-")


@dataclass
class Found:
    """A table of a page: its name (None without a mark), heading, first line and lines."""

    name: str | None
    heading: str
    begin: int
    lines: list[str]

    @property
    def cells(self) -> list[list[str]]:
        """Texts of all cells, the ruler below the titles among them."""
        return [
            [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]
            for line in self.lines
        ]

    @property
    def measured(self) -> bool:
        """Whether cells begin with numbers that have a decimal point; a single one may be a setting."""
        return self._count(r"[*+−-]*\d[\d,]*\.\d") > 1

    @property
    def has_numbers(self) -> bool:
        """Whether more than three cells begin with a number."""
        return self._count(r"[*+−-]*\d") > 3

    def _count(self, pattern: str) -> int:
        return sum(bool(re.match(pattern, cell)) for row in self.cells[2:] for cell in row)


def published_pages(root: Path = ROOT) -> list[Path]:
    """List the pages whose tables of figures are data: the README and all of the documentation."""
    return sorted([*root.glob("README.md"), *(root / "docs").rglob("*.md")])


def file_of(page: Path) -> Path:
    """Return the file of a page: `cherry2012.json`, of the log `log-cherry2012.json`; also `README.json`."""
    docs = next((each for each in page.parents if each.name == "docs"), page.parent / "docs")
    parts = page.relative_to(docs.parent).with_suffix("").parts
    return (
        docs
        / "research"
        / "tables"
        / ("-".join(part for part in parts if part not in ("docs", "research")) + ".json")
    )


def tables_of(text: str) -> Iterator[Found]:
    """Return the tables of a page, outside of code."""
    name, heading, fenced, lines = None, "table", False, text.split("\n")
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith("```"):
            fenced = not fenced
        elif not fenced and (mark := _MARK.fullmatch(line.strip())):
            name = mark[1]
        elif not fenced and line.startswith("#"):
            heading = line.strip("# ")
        elif not fenced and line.startswith("|"):
            end = at
            while end < len(lines) and lines[end].startswith("|"):
                end += 1
            yield Found(name, heading, at, lines[at:end])
            name, at = None, end
            continue
        at += 1


def is_published(page: Path, table: Found) -> bool:
    """Return whether a table of a page must be data: it has measured figures."""
    return table.measured or ("research" in page.parts and page.name != "papers.md" and table.has_numbers)


def as_data(table: Found, signature: str | None = None) -> dict[str, Any]:
    """Return the table as the file has it."""
    titles, ruler, *rows = table.cells
    columns = [{"title": title, "align": align} for title, align in zip(titles, ruler, strict=True)]
    shown: list[dict[str, Any]] = [
        {**column, **_format([row[at] for row in rows])} for at, column in enumerate(columns)
    ]
    data = [[_value(cell, column) for cell, column in zip(row, shown, strict=True)] for row in rows]
    note = {} if signature else {"note": NOT_RECORDED}
    return {"signature": signature, **note, "columns": shown, "rows": data}


def rendered(data: dict[str, Any]) -> list[str]:
    """Return the lines of the table on the page."""
    columns = data["columns"]
    rows = [[_text(cell, column) for cell, column in zip(row, columns, strict=True)] for row in data["rows"]]
    table = [[column["title"] for column in columns], [column["align"] for column in columns], *rows]
    return ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in table]


def _format(cells: list[str]) -> dict[str, Any]:
    """Return digits and signs of the plain numbers of a column, where all of them agree."""
    numbers = [cell for cell in cells if _NUMBER.fullmatch(cell)]
    digits = {len(each.partition(".")[2]) for each in numbers}
    if len(digits) != 1:
        return {}
    return {"digits": digits.pop(), **({"signed": True} if any(each.startswith("+") for each in numbers) else {})}


def _value(cell: str, column: dict[str, Any]) -> str | int | float:
    if "digits" in column and _NUMBER.fullmatch(cell):
        number = float(cell) if column["digits"] else int(cell)
        if _text(number, column) == cell:
            return number
    return cell


def _text(cell: str | float, column: dict[str, Any]) -> str:
    return cell if isinstance(cell, str) else f"{cell:{'+' if column.get('signed') else ''}.{column['digits']}f}"


def problems(root: Path = ROOT) -> list[str]:
    """List differences between pages and files, a line for each."""
    wrong = []
    files = {
        path: json.loads(path.read_text(encoding="utf-8"))
        for path in (root / "docs/research/tables").glob("*.json")
    }
    for page in published_pages(root):
        kept = files.pop(file_of(page), {})
        where = page.relative_to(root)
        for table in tables_of(page.read_text(encoding="utf-8")):
            place = f"{where}:{table.begin + 1}"
            if table.name is None and is_published(page, table):
                wrong.append(
                    f"{place}: a table of figures without data. Run: python tools/published_tables.py take {where}"
                )
            elif table.name is not None and table.name not in kept:
                wrong.append(f"{place}: table {table.name!r} is not in {file_of(page).relative_to(root)}")
            elif table.name is not None:
                data = kept.pop(table.name)
                expected = Found(None, "", 0, rendered(data)).cells
                rows = enumerate(zip(table.cells, expected, strict=False))
                line = next(
                    (at for at, (seen, should) in rows if seen != should), min(len(expected), len(table.cells))
                )
                if table.cells != expected:
                    wrong.append(
                        f"{where}:{table.begin + 1 + line}: is not row {line - 1} of table {table.name!r}"
                    )
                if not data.get("signature") and not data.get("note"):
                    wrong.append(f"{place}: table {table.name!r} has neither a signature nor a note")
        wrong += [f"{file_of(page).relative_to(root)}: table {name!r} is on no page" for name in kept]
    return wrong + [f"{path.relative_to(root)}: belongs to no page" for path in files]


def take(page: Path, run: Path | None = None) -> int:
    """Write the new tables of a page to its file, mark them on the page, and count them."""
    signature = None
    if run is not None:
        recorded = json.loads((run / "table.json").read_text(encoding="utf-8"))["signature"]
        signature = recorded["text"] if isinstance(recorded, dict) else recorded
    text = page.read_text(encoding="utf-8")
    lines, path = text.split("\n"), file_of(page)
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    new = [
        each
        for each in tables_of(text)
        if is_published(page, each) and (each.name is None or each.name not in kept)
    ]
    inserted = 0
    for table in new:
        name = table.name or _free(re.sub(r"[^a-z0-9]+", "-", table.heading.lower()).strip("-"), kept)
        kept[name] = as_data(table, signature)
        if table.name is None:
            lines[table.begin + inserted : table.begin + inserted] = [f"<!-- table: {name} -->", ""]
            inserted += 2
    if new:
        page.write_text("\n".join(lines), encoding="utf-8")
        path.parent.mkdir(exist_ok=True)
        path.write_text(_document(kept), encoding="utf-8")
    return len(new)


def write(page: Path) -> None:
    """Put the tables of the file in the places of those on the page."""
    lines = page.read_text(encoding="utf-8").split("\n")
    kept = json.loads(file_of(page).read_text(encoding="utf-8"))
    for table in reversed([*tables_of("\n".join(lines))]):
        if table.name in kept:
            lines[table.begin : table.begin + len(table.lines)] = rendered(kept[table.name])
    page.write_text("\n".join(lines), encoding="utf-8")


def _free(name: str, taken: dict[str, Any]) -> str:
    candidates = [name, *(f"{name}-{number}" for number in range(2, 100))]
    return next(each for each in candidates if each not in taken)


def _document(tables: dict[str, Any]) -> str:
    """Format JSON with a line for each column and row."""
    parts = []
    for name, table in tables.items():
        rest = {key: value for key, value in table.items() if key not in ("columns", "rows")}
        head = "".join(f"  {_json(key)}: {_json(value)},\n" for key, value in rest.items())
        lists = ",\n".join(
            f"  {_json(key)}: [\n" + ",\n".join(f"   {_json(each)}" for each in table[key]) + "\n  ]"
            for key in ("columns", "rows")
        )
        parts.append(f" {_json(name)}: {{\n{head}{lists}\n }}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def main() -> int:
    """Run the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("verb", choices=["check", "take", "write"])
    parser.add_argument("pages", nargs="*", type=Path)
    parser.add_argument("--run", type=Path, help="folder of an experiment, whose table.json has the signature")
    options = parser.parse_args()
    for page in (each.resolve() for each in options.pages):
        if options.verb == "take":
            print(f"{page.name}: {take(page, options.run)} new tables")
        elif options.verb == "write":
            write(page)
    wrong = problems()
    print("\n".join(wrong) or "every table of figures is what its file says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
