"""Options declared as their help shows them, alone and in groups."""

from dataclasses import dataclass, field
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from tunesmith.cli.declaring import argument, grouped, option


@dataclass(frozen=True)
class Reading:
    source: Annotated[str, option("-s --source FILE", "Text.")]
    references: Annotated[list[str], option("--refs FILE…", "References.")] = field(default_factory=list)
    limit: Annotated[int | None, option("--limit", "Lines.", "Size", show_default="all", min=1)] = None


def command(seen):
    app = typer.Typer()

    @app.command()
    @grouped
    def verb(
        word: Annotated[str, argument("WORD", "A word.")],
        seed: Annotated[int, option("--seed", "Of chance.")] = 1,
        *,
        reading: Reading,
    ) -> None:
        """Do it."""
        seen.append((word, seed, reading))

    return app


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("-s a w", ("w", 1, Reading("a", [], None))),
        ("--source a --refs b --refs c --limit 3 --seed 2 w", ("w", 2, Reading("a", ["b", "c"], 3))),
    ],
)
def test_a_verb_gets_its_groups(words, expected):
    seen = []
    ended = CliRunner().invoke(command(seen), words.split())
    assert ended.exit_code == 0, ended.output
    assert seen == [expected]


@pytest.mark.parametrize("words", ["w", "-s a", "-s a --limit 0 w", "-s a --reading x w"])
def test_what_a_field_refuses_the_command_line_refuses(words):
    seen = []
    assert CliRunner().invoke(command(seen), words.split()).exit_code == 2
    assert seen == []


def test_the_help_shows_fields_as_they_are_declared():
    [verb] = [typer.main.get_command(command([]))]
    shown = {each.name: each for each in verb.params}
    assert (shown["source"].opts, shown["source"].metavar, shown["source"].required) == (
        ["-s", "--source"],
        "FILE",
        True,
    )
    assert shown["references"].multiple
    assert shown["limit"].metavar is None
    names = list(shown)
    assert names.index("source") < names.index("seed")  # what is required comes first
    text = CliRunner().invoke(command([]), ["--help"]).output
    assert "Size" in text
    assert "[default: (all)]" in text


def test_a_list_of_one_call_is_not_that_of_the_next():
    seen = []
    app = command(seen)
    for words in ("-s a --refs b w", "-s a w"):
        CliRunner().invoke(app, words.split())
    assert [reading.references for _, _, reading in seen] == [["b"], []]
