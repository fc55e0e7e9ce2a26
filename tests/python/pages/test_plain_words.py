"""What `make lint` refuses in pages, docstrings, comments and messages (`tools/plain_words.py`)."""

import shutil

import plain_words
import pytest


def test_pages_sources_and_tests_are_in_plain_words(capsys):
    assert plain_words.main() == 0, capsys.readouterr().out


def test_every_phrase_of_the_table_is_known():
    advice = plain_words.banned()
    assert len(advice) > 20
    assert {"anew", "was expected", "somebody else", "beside", "goes on", "is told", "so many"} <= set(advice)


@pytest.fixture
def tree(tmp_path):
    glossary = tmp_path / plain_words.GLOSSARY
    glossary.parent.mkdir(parents=True)
    shutil.copy(plain_words.ROOT / plain_words.GLOSSARY, glossary)
    return tmp_path


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("README.md", "One.\n\nIt is done\nanew.\n", "README.md:4: 'anew': write again"),
        ("docs/page.md", "Files of\nsomebody else.\n", "docs/page.md:2: 'somebody else': write another person"),
        ("src/a.py", '"""Module."""\n\nraise ValueError("a word was expected")\n', "src/a.py:3: 'was expected': "),
        ("src/a.py", "x = 1  # it lies beside y\n", "src/a.py:1: 'beside'"),
        ("src/a.py", "# What was done\n# goes\n# on.\n", "src/a.py:2: 'goes\\n# on'"),
        ("tests/a.py", 'def a():\n    """Things of ours."""\n', "tests/a.py:2: 'of ours'"),
        ("cpp/a.cpp", "int x;\n// Bytes, at most so\n// many.\n", "cpp/a.cpp:2: 'so\\n// many'"),
        ("cpp/a.cpp", 'fail("5 is no number");\n', "cpp/a.cpp:1: 'is no number'"),
        (
            "src/a.py",
            'def a():\n    """The best one."""\n',
            "src/a.py:2: docstring of a begins with 'The': write a verb",
        ),
        (
            "src/a.py",
            'class A:\n    """Those of B."""\n',
            "src/a.py:2: docstring of A begins with 'Those': write the",
        ),
    ],
)
def test_a_phrase_is_found_where_it_stands(tree, capsys, name, text, found):
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text(text, encoding="utf-8")
    assert plain_words.main(tree) == 1
    assert capsys.readouterr().out.startswith(found)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("README.md", "```text\nanew\n```\n`beside`, `--also`\n"),
        ("src/a.py", 'beside = ["beside"]\n'),
        ("tests/a.py", 'text = "a line of somebody"\n'),
        ("cpp/a.cpp", "int beside = 0;\n"),
    ],
)
def test_code_and_names_are_not_searched(tree, capsys, name, text):
    (tree / name).parent.mkdir(parents=True, exist_ok=True)
    (tree / name).write_text(text, encoding="utf-8")
    assert plain_words.main(tree) == 0, capsys.readouterr().out
