import pytest

from tunesmith import ConfigError
from tunesmith.cli.group import greedy_groups, spread_greedy


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
    assert spread_greedy(words.split()) == spread.split()
    assert greedy_groups(words.split()) == groups


@pytest.mark.parametrize("words", ["--refs", "--refs -q", "a --refs a --refs -b"])
def test_a_greedy_option_needs_a_word(words):
    with pytest.raises(ConfigError, match="needs at least one file"):
        spread_greedy(words.split())


def test_groups_are_those_of_the_references():
    words = ["--candidates", "a", "b", "--refs", "c", "d", "--scores", "e"]
    options = ("--refs", "--candidates", "--scores")
    spread = "--candidates a --candidates b --refs c --refs d --scores e"
    assert " ".join(spread_greedy(words, options)) == spread
    assert greedy_groups(words, options) == [["c", "d"]]
