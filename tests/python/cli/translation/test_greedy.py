"""Options that take all words up to the next one: what they take, and what is said where they took a file."""

import pytest
from typer.testing import CliRunner

from tunesmith import ConfigError
from tunesmith.cli.group import spread_greedy
from tunesmith.cli.main import app


@pytest.mark.parametrize(
    ("words", "spread", "groups"),
    [
        ("x --refs a b -q", "x --refs a --refs b -q", [["a", "b"]]),
        ("--refs a b --refs c", "--refs a --refs b --refs c", [["a", "b"], ["c"]]),
        ("--refs a - b", "--refs a --refs - --refs b", [["a", "-", "b"]]),
        ("--refs a -- b", "--refs a -- b", [["a"]]),
        ("--refs=a b", "--refs a --refs b", [["a", "b"]]),
        ("--refs=a --refs b c -q", "--refs a --refs b --refs c -q", [["a"], ["b", "c"]]),
        ("-q x", "-q x", []),
        ("--refs --help", "--help", [[]]),
        ("-- --refs a b", "-- --refs a b", []),
    ],
)
def test_words_of_greedy_options(words, spread, groups):
    found, taken = spread_greedy(words.split())
    assert found == spread.split()
    assert [each.words for each in taken] == groups


@pytest.mark.parametrize("words", ["--refs", "--refs -q", "a --refs a --refs -b"])
def test_a_greedy_option_needs_a_word(words):
    with pytest.raises(ConfigError, match="needs at least one file"):
        spread_greedy(words.split())


def test_every_greedy_option_takes_its_own_words():
    words = ["--candidates", "a", "b", "--refs", "c", "d", "--scores", "e"]
    options = ("--refs", "--candidates", "--scores")
    spread = "--candidates a --candidates b --refs c --refs d --scores e"
    found, taken = spread_greedy(words, options)
    assert " ".join(found) == spread
    assert taken == [("--candidates", ["a", "b"]), ("--refs", ["c", "d"]), ("--scores", ["e"])]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dev.en").write_text("a b\n")
    (tmp_path / "dev.out").write_text("a b\n")
    (tmp_path / "dev.nbest").write_text("0 ||| a b ||| lm= 1 ||| 1\n0 ||| a c ||| lm= 2 ||| 1\n")


@pytest.mark.parametrize(
    ("verb", "lost", "what"),
    [
        ("candidates stats", "dev.nbest", "LIST"),
        ("candidates oracle", "dev.nbest", "LIST"),
        ("evaluate -b", "dev.out", "FILE"),
        ("report", "run", "RUN…"),
    ],
)
def test_a_file_lost_to_a_greedy_option_is_told_with_the_way_out(folder, verb, lost, what):
    ended = CliRunner().invoke(app, [*verb.split(), "--refs", "dev.en", lost])
    assert ended.exit_code in (1, 2)
    assert f"--refs takes all words up to the next option, here 2 up to {lost}; if that is {what}" in ended.stderr
    assert ended.stderr.endswith("put it in front of --refs, or after --)\n")
    if verb != "report":
        for words in ([lost, "--refs", "dev.en"], ["--refs", "dev.en", "--", lost]):
            ended = CliRunner().invoke(app, [*verb.split(), *words])
            assert ended.exit_code == 0, ended.stderr


@pytest.mark.parametrize(
    "words", ["dev.nbest --refs dev.en missing", "--refs missing", "missing --refs dev.en dev.en"]
)
def test_errors_that_no_lost_file_explains_stay_as_they_are(folder, words):
    ended = CliRunner().invoke(app, ["candidates", "stats", *words.split()])
    assert ended.stderr == "tunesmith: missing: no such file\n"
