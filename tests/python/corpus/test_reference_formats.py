"""References in one file."""

import json

import pytest

from tunesmith.corpus.reference_formats import read_any_references
from tunesmith.errors import FormatError

SENTENCES = [("the cat", "a cat"), ("yes",)]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("r.json", json.dumps([list(each) for each in SENTENCES])),
        ("r.json", json.dumps([["the cat", "a cat"], "yes"], indent=1)),
        ("r.jsonl", '["the cat", "a cat"]\n"yes"\n'),
        ("r.jsonl", '{"references": ["the cat", "a cat"]}\n\n{"references": ["yes"], "id": 1}\n'),
        ("r.txt", "the cat ||| a cat\nyes\n"),
        ("r.txt", "the cat\t|||\ta cat |||\nyes\n"),
    ],
)
def test_all_forms_say_the_same(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    found = read_any_references([tmp_path / name])
    assert found.sentences == SENTENCES
    assert name in found.notes[0]
    assert [list(column) for column in found.columns] == [["the cat", "yes"], ["a cat", ""]]


def test_plain_files_stay_plain(tmp_path):
    (tmp_path / "a").write_text("one |||x\ntwo\n")
    (tmp_path / "b").write_text("1 ||| 2\n3\n")
    assert read_any_references([tmp_path / "a"]).sentences == [("one |||x",), ("two",)]
    assert read_any_references([tmp_path / "a", tmp_path / "b"]).sentences[0] == ("one |||x", "1 ||| 2")


@pytest.mark.parametrize(
    ("name", "text", "line", "message"),
    [
        ("r.jsonl", '["a"]\n[1]\n', 2, "sentence 1: expected a list of texts, got"),
        ("r.jsonl", '["a"]\n{\n', 2, "not JSON"),
        ("r.jsonl", '["a"]\n["b \\ud800"]\n', 2, "not JSON"),
        ("r.jsonl", '["a"]\n["\\udc00"]\n', 2, "not JSON"),
        ("r.jsonl", '["a"]\n[" "]\n', 2, "no reference"),
        ("r.json", '[["a"], {"refs": 1}]', None, "sentence 1: expected a list of texts, got"),
        ("r.txt", "a ||| b\n|||\n", 2, "no reference between"),
    ],
)
def test_what_is_wrong_is_named(tmp_path, name, text, line, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(FormatError, match=message) as error:
        read_any_references([tmp_path / name])
    assert error.value.line == line
