"""Old names of options and verbs work, and say their new names."""

import pytest
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.cli.renamed import new_verb, with_new_options

KNOWN = ["--folds", "--also", "--refs"]


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (["--parts", "5", "x"], ["--folds", "5", "x"]),
        (["--parts=5", "--beside=chrf"], ["--folds=5", "--also=chrf"]),
        (["--", "--parts"], ["--", "--parts"]),
        (["--refs", "beside"], ["--refs", "beside"]),
    ],
)
def test_old_options_become_new_ones_up_to_two_dashes(given, wanted, capsys):
    assert with_new_options(given, KNOWN) == wanted
    said = capsys.readouterr().err
    assert ("--parts is now called --folds; version 0.4 will not know --parts" in said) == (
        "--folds" in str(wanted)
    )


def test_a_verb_that_has_an_option_of_the_old_name_keeps_it(capsys):
    assert with_new_options(["--parts"], [*KNOWN, "--parts"]) == ["--parts"]
    assert with_new_options(["--parts"], []) == ["--parts"]
    assert new_verb("own", ["own", "leave-one-out"]) == "own"
    assert not capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "renamed", "reached", "code"),
    [
        ("rules own --help", "own is now called leave-one-out", "rules leave-one-out -m", 0),
        (
            "tune --candidates x --refs y --parts 2 -o z",
            "--parts is now called --folds",
            "--folds is for tuning",
            2,
        ),
    ],
)
def test_old_names_reach_the_new_ones(words, renamed, reached, code):
    ended = CliRunner().invoke(app, words.split())
    assert renamed in ended.output
    assert reached in ended.output
    assert ended.exit_code == code
