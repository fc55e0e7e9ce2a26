"""Find phrases that are not plain English: `python tools/plain_words.py`, part of `make lint`.

The phrases are in the table *Everyday words* of docs/reference/glossary.md. Pages are searched without their code,
Python files in docstrings, comments and messages, C++ files in comments and messages. In `src` and `tools` the
docstring of a function also begins with a verb, and that of a class or property with the noun that it describes.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
GLOSSARY = Path("docs", "reference", "glossary.md")
HEADING = "## Everyday words\n"
PAGES = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/**/*.md")
PYTHON = ("src/**/*.py", "tools/*.py", "benchmarks/*.py", "examples/**/*.py", "tests/**/*.py", "*.py")
NATIVE = ("cpp/**/*.hpp", "cpp/**/*.cpp", "tests/cpp/**/*.cpp")
WITH_VERBS = ("src", "tools")

POINTERS = "As At Below By For From In It Its Of On So Such That These This Those Up With Without"
"""No docstring begins with one of these words: it names what it describes."""
NO_VERBS = (
    "A All An And Any Both Each Every Given How If Like Many No None Not Nothing One Only Or Other Our Own Per "
    "Same Some The To Two What Whatever When Where Whether Which Who Whose"
)
"""No docstring of a function begins with one of these words."""

COMMENT_OR_TEXT = re.compile(r'//[^\n]*|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"')
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.DOTALL | re.MULTILINE)


def main(root: Path = ROOT) -> int:
    """Print every finding as `file:line: what is wrong; way out`; return the exit code."""
    advice = banned(root)
    findings = [f"{path.relative_to(root)}:{line}: {what}" for path, line, what in search(root, advice)]
    for finding in findings:
        print(finding)
    return 1 if findings else 0


def banned(root: Path = ROOT) -> dict[str, str]:
    """Read the phrases of the table, in lower case, and what to write instead."""
    table = (root / GLOSSARY).read_text(encoding="utf-8").partition(HEADING)[2].partition("\n## ")[0]
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines() if line[:1] == "|"
    ]
    return {phrase.strip().lower(): write for write, phrases in rows[2:] for phrase in phrases.split(",")}


def search(root: Path, advice: dict[str, str]) -> Iterator[tuple[Path, int, str]]:
    """Yield path, line and finding."""
    phrases = sorted(map(re.escape, advice), key=len, reverse=True)
    words = "|".join(phrases).replace(r"\ ", r"\s+(?:(?://|#)\s*)?")
    pattern = re.compile(rf"(?<![\w-])(?:{words})(?!\w)", re.IGNORECASE)
    for path, texts in _texts(root):
        for line, text in texts:
            for match in pattern.finditer(text):
                phrase = re.sub(r"[\s/#]+", " ", match[0]).lower()
                at = line + text.count("\n", 0, match.start())
                yield path, at, f"{match[0]!r}: write {advice[phrase]}"
    for folder in WITH_VERBS:
        for path in sorted((root / folder).rglob("*.py")):
            for line, what in docstring_findings(path.read_text(encoding="utf-8")):
                yield path, line, what


def _texts(root: Path) -> Iterator[tuple[Path, list[tuple[int, str]]]]:
    """Yield each file with its texts and the lines where they begin."""
    for path in _files(root, PAGES):
        if path != root / GLOSSARY:
            text = CODE.sub(lambda code: "\n" * code[0].count("\n"), path.read_text(encoding="utf-8"))
            yield path, [(1, text)]
    for path in _files(root, PYTHON):
        if path != Path(__file__):
            source, messages = path.read_text(encoding="utf-8"), path.relative_to(root).parts[0] != "tests"
            yield path, list(python_texts(source, messages=messages))
    for path in _files(root, NATIVE):
        yield path, list(native_texts(path.read_text(encoding="utf-8")))


def _files(root: Path, patterns: tuple[str, ...]) -> list[Path]:
    """List the files of these patterns, without environments and what was built."""
    return sorted({path for pattern in patterns for path in root.glob(pattern) if path.is_file()})


def python_texts(source: str, *, messages: bool) -> Iterator[tuple[int, str]]:
    """Yield docstrings, messages and comments of a Python file, without quoted code; joined comments are one text.

    messages: texts other than docstrings too; those of tests are data.
    """
    begin, comments = 0, list[str]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            if not comments:
                begin = token.start[0]
            comments.append(token.string)
        elif token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT):
            if comments:
                yield begin, CODE.sub("", "\n".join(comments))
                comments = []
            is_text = token.type == tokenize.STRING or tokenize.tok_name[token.type] == "FSTRING_MIDDLE"
            if is_text and " " in token.string and (messages or token.string.lstrip("r").startswith('"""')):
                yield token.start[0], CODE.sub("", token.string)
    if comments:
        yield begin, CODE.sub("", "\n".join(comments))


def native_texts(source: str) -> Iterator[tuple[int, str]]:
    """Yield comments and texts of a C++ file; comments on consecutive lines are one text."""
    begin = end = 0
    text = ""
    for match in filter(lambda each: " " in each[0], COMMENT_OR_TEXT.finditer(source)):
        line = source.count("\n", 0, match.start()) + 1
        if text and not (text.startswith("//") and match[0].startswith("//") and line == end + 1):
            yield begin, CODE.sub("", text)
            text = ""
        if not text:
            begin = line
        text += ("\n" if text else "") + match[0]
        end = line + match[0].count("\n")
    if text:
        yield begin, CODE.sub("", text)


def docstring_findings(source: str) -> Iterator[tuple[int, str]]:
    """Yield line and finding of docstrings whose first word cannot stand there."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if not (text := ast.get_docstring(node)):
            continue
        first = text.split()[0].strip(",.:;")
        is_property = any("property" in ast.unparse(each) for each in getattr(node, "decorator_list", ()))
        line = node.body[0].lineno
        if isinstance(node, ast.ClassDef) or is_property:
            if first in f"{POINTERS} Return Yield".split():
                yield line, f"docstring of {node.name} begins with {first!r}: write the noun that it describes"
        elif first in f"{POINTERS} {NO_VERBS}".split():
            yield line, f"docstring of {node.name} begins with {first!r}: write a verb, such as Return"


if __name__ == "__main__":
    sys.exit(main())
