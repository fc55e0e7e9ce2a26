"""Harnesses of kills and faults: every verb that writes is in them, and they find what they should find."""

import pytest
import typer
from fuzz.contents import contents, differences, left_over
from fuzz.faults import Faults, known_faults
from fuzz.forked import Ended
from fuzz.kill import Kills, wrong_end
from fuzz.verbs import READ_ONLY, VERBS, command

from tunesmith.cli.main import app


def verbs():
    """Every verb, those of groups with the name of the group."""

    def below(group, before=()):
        for name, each in group.commands.items():
            if hasattr(each, "commands"):
                yield from below(each, (*before, name))
            else:
                yield " ".join((*before, name))

    return set(below(typer.main.get_command(app)))


def test_every_verb_that_writes_is_killed():
    killed = {" ".join(command(name, "")) for name in VERBS}
    assert killed | READ_ONLY >= verbs(), "a new verb belongs to one of them (tests/fuzz/verbs.py)"
    assert killed <= verbs()
    assert not killed & READ_ONLY


def test_times_and_locks_are_no_differences(tmp_path):
    for name, seconds in (("one", 1.5), ("two", 2)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "history.jsonl").write_text(f'{{"round": 1, "seconds": {seconds}}}\n')
        (tmp_path / name / "log.txt").write_text(name)
        (tmp_path / name / "weights.tsv").write_text("lm\t1\n")
    assert not differences(contents(tmp_path / "one"), contents(tmp_path / "two"))
    (tmp_path / "two/weights.tsv").write_text("lm\t2\n")
    (tmp_path / "two/.more.0.partial").mkdir()
    assert differences(contents(tmp_path / "one"), contents(tmp_path / "two")) == ["weights.tsv"]
    assert left_over(tmp_path / "two") == [".more.0.partial"]


@pytest.mark.parametrize(
    ("code", "errors", "wrong"),
    [(-9, "", False), (130, "tunesmith: interrupted\n", False), (1, "Traceback (most recent call last):\n", True),
     (-11, "", True), (-99, "", True)],
)  # fmt: skip
def test_how_a_command_may_end(code, errors, wrong):
    assert (wrong_end(Ended(code, "", errors, 1.0)) is not None) == wrong


def test_a_short_round_of_both_harnesses_has_no_finding(tmp_path):
    """Every fault, and some kills, of a quick verb; `make fuzz` goes through all verbs."""
    kills = Kills(tmp_path / "kills", seed=1)
    assert [kills.case("tokenize", number) for number in range(4)] == [None] * 4
    faults = Faults(tmp_path / "faults", seed=1)
    assert {fault: faults.case("tokenize", fault, 1) for fault in known_faults()} == dict.fromkeys(known_faults())
