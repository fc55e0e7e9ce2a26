"""docs/reference/glossary.md speaks of what exists, and the tuning side uses its words."""

import ast
import re
from importlib import import_module
from pathlib import Path

import pytest

import tunesmith

PACKAGE = Path(tunesmith.__file__).parent
PAGE = Path(__file__).parents[3] / "docs" / "reference" / "glossary.md"


def table(heading):
    """Rows of the first table after a heading, without its titles."""
    lines = iter(PAGE.read_text(encoding="utf-8").partition(f"{heading}\n")[2].splitlines())
    rows = []
    for line in lines:
        if line.startswith("|"):
            rows.append([cell.strip() for cell in line.strip("|").split("|")])
        elif rows:
            break
    return rows[2:]


WORDS = table("# Glossary")


def avoided():
    return [each.strip() for *_, words in WORDS if words != "–" for each in words.split(",")]


def docstrings(folder):
    """Every docstring below a folder, with its file."""
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)) and (text := ast.get_docstring(node)):
                yield path.relative_to(PACKAGE), text


def test_words_are_in_alphabetical_order_and_each_has_a_meaning():
    names = [row[0] for row in WORDS]
    assert len(names) > 40
    assert names == sorted(set(names), key=str.casefold)
    assert all(len(row) == 4 and row[1].endswith(".") and row[3] for row in WORDS)


def test_no_word_is_one_that_the_page_avoids():
    assert not {row[0] for row in WORDS} & set(avoided())


@pytest.mark.parametrize("name", [row[2].strip("`") for row in WORDS])
def test_what_a_word_stands_for_exists(name):
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found = import_module(".".join(["tunesmith", *parts[:end]]))
        except ModuleNotFoundError:
            continue
        for part in parts[end:]:
            found = getattr(found, part)
        return
    pytest.fail(f"tunesmith.{name} does not exist")


def test_docstrings_of_tuning_avoid_what_the_page_avoids():
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, avoided()))})\b", re.IGNORECASE)
    found = [
        f"{path}: {match[0]}" for path, text in docstrings(PACKAGE / "tuning") for match in pattern.finditer(text)
    ]
    assert found == []
