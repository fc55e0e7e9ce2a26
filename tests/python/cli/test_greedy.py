import pytest

from tunesmith.cli.group import greedy_groups, spread_greedy


@pytest.mark.parametrize(
    ("words", "spread", "groups"),
    [
        ("x --refs a b -q", "x --refs a --refs b -q", [["a", "b"]]),
        ("--refs a b --refs c", "--refs a --refs b --refs c", [["a", "b"], ["c"]]),
        ("--refs a - b", "--refs a --refs - --refs b", [["a", "-", "b"]]),
        ("--refs a -- b", "--refs a -- b", [["a"]]),
        ("--refs=a b", "--refs=a b", []),
        ("-q x", "-q x", []),
        ("--refs", "--refs", [[]]),
        ("-- --refs a b", "-- --refs a b", []),
    ],
)
def test_words_of_greedy_options(words, spread, groups):
    assert spread_greedy(words.split()) == spread.split()
    assert greedy_groups(words.split()) == groups
