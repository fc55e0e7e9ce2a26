"""The command line as a whole: help, version, letters, exit codes, cheap start."""

import subprocess
import sys
from collections import defaultdict

import pytest
import typer.main
from typer.testing import CliRunner

import tunesmith
from tunesmith.cli.main import app

COMMANDS = typer.main.get_command(app)
HEAVY = ("matplotlib", "numpy", "sacrebleu", "sacremoses", "jieba", "thot", "scipy", "tunesmith._core")


def verbs(group=COMMANDS, prefix=()):
    """All commands with the words that call them, sub-commands included."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from verbs(command, (*prefix, name))
        else:
            yield (*prefix, name), command


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tunesmith", *words],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )


def test_version_and_help_end_well():
    assert run("--version").stdout == f"tunesmith {tunesmith.__version__}\n"
    for words in (["--help"], ["-h"], ["evaluate", "-h"]):
        ended = run(*words)
        assert (ended.returncode, ended.stderr) == (0, "")


def test_one_letter_means_one_thing_in_every_verb():
    meanings = defaultdict(set)
    for _, command in verbs():
        for parameter in command.params:
            letters = [name for name in parameter.opts if len(name) == 2 and name[0] == "-"]
            longs = [name for name in parameter.opts if name.startswith("--")]
            for letter in letters:
                meanings[letter].update(longs)
    assert all(len(longs) == 1 for longs in meanings.values()), dict(meanings)
    agreed = {"-o": "--output", "-j": "--threads", "-q": "--quiet", "-f": "--format", "-w": "--digits",
              "-b": "--bare", "-h": "--help", "-m": "--model", "-W": "--weights"}  # fmt: skip
    for letter, longs in meanings.items():
        assert agreed[letter] in longs


@pytest.mark.parametrize("words", [words for words, _ in verbs()], ids=" ".join)
def test_every_verb_says_what_it_does_in_one_line_and_shows_examples(words):
    command = dict(verbs())[words]
    first = command.help.strip().splitlines()[0]
    assert len(first) <= 100
    assert first.endswith(".")
    shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "200"}).stdout
    assert "Examples" in shown
    assert f"tunesmith {' '.join(words)}" in shown.split("Examples")[1]
    for parameter in command.params:
        assert parameter.param_type_name == "argument" or parameter.help, parameter.name


def test_bad_usage_ends_with_2_and_bad_data_with_1(tmp_path):
    (tmp_path / "bad").write_bytes(b"ok\n\xff\n")
    (tmp_path / "good").write_text("a\nb\n")
    for words in (["evaluat"], ["evaluate", "--no-such-option"], ["evaluate"], ["phrasebook"],
                  ["phrasebook", "--pairs", "-3", "-o", "x"], ["phrasebook", "--noise", "two", "-o", "x"],
                  ["evaluate", str(tmp_path / "missing"), "--refs", str(tmp_path / "good")]):  # fmt: skip
        assert run(*words).returncode == 2, words
    ended = run("evaluate", str(tmp_path / "bad"), "--refs", str(tmp_path / "good"))
    assert ended.returncode == 1
    assert f"{tmp_path / 'bad'}:2: byte 1 of the line (0xff) is not UTF-8" in ended.stderr
    assert "Traceback" not in ended.stderr
    assert ended.stdout == ""


def test_a_closed_pipe_is_no_error(tmp_path):
    (tmp_path / "text").write_text("a b c\n" * 20000)
    (tmp_path / "refs").write_text("a b d\n" * 20000)
    command = (
        f"{sys.executable} -m tunesmith evaluate -q --sentence-level {tmp_path}/text --refs {tmp_path}/refs "
        "| head -n 1; exit ${PIPESTATUS[0]}"
    )
    ended = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")


@pytest.mark.parametrize("module", ["tunesmith", "tunesmith.cli.main"])
def test_importing_loads_no_heavy_library(module):
    code = f"import sys, {module}; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


def test_completion_can_be_shown():
    assert "tunesmith" in CliRunner().invoke(app, ["--show-completion", "bash"], env={"SHELL": "/bin/bash"}).stdout
