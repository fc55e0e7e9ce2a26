"""Harnesses of kills and faults: every verb that writes is in them, and they find what they should find."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from fuzz.bench import Gold
from fuzz.contents import contents, differences, left_over
from fuzz.forked import Ended
from fuzz.kill import Kills, wrong_end
from fuzz.verbs import READ_ONLY, VERBS, command
from support.processes.waiting import HANGS

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


@pytest.mark.parametrize("harness", ["kill", "faults"])
def test_a_case_of_a_quick_verb_has_no_finding(harness, tmp_path):
    """`make fuzz` goes through all verbs. In its own process: the harness forks, and this one has threads."""
    ran = subprocess.run(
        [sys.executable, "-m", f"fuzz.{harness}", "--verb", "tokenize", "--case", "1"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "FUZZ_SECONDS": str(HANGS), "FUZZ_SEED": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert ", 0 findings" in ran.stdout
    assert harness != "kill" or re.search(r"1 cases, [12] kills", ran.stdout)


@pytest.mark.parametrize(("code", "kills"), [(-9, 1), (130, 1), (143, 1), (0, 0), (98, 0), (1, 0)], ids=str)
def test_only_a_command_that_was_at_work_counts_as_killed(monkeypatch, code, kills):
    """Over before the kill, not begun, or failed by itself: none of these shows that a kill does no harm."""
    harness = Kills.__new__(Kills)
    harness._seed, harness._gold = 1, {"vocab": Gold({}, 1.0)}
    monkeypatch.setattr("fuzz.kill._TRIES", 3)
    monkeypatch.setattr(Kills, "_new", lambda self, name: Path("nowhere"))
    monkeypatch.setattr(
        "fuzz.kill.run", lambda words, folder, prepare=None: Ended(code if prepare else 0, "", "", 1.0)
    )
    monkeypatch.setattr("fuzz.kill._signalled", lambda process, which, moment: Ended(code, "", "", 1.0))
    monkeypatch.setattr("fuzz.kill.Forked", lambda words, folder: None)
    wrong = harness.case("vocab", 1)
    assert min(harness.kills, 1) == kills
    expected = {0: "never killed", 98: "never killed", 1: "it failed before it was killed"}
    assert (wrong is None) if code not in expected else (expected[code] in wrong)
