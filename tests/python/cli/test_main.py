"""The command line as a whole: help, version, letters, exit codes, cheap start."""

import os
import signal
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

import pytest
import typer.main
from support.processes.processes import default_signals
from support.processes.waiting import HANGS, until
from typer.testing import CliRunner

import tunesmith
from tunesmith.cli.main import app

COMMANDS = typer.main.get_command(app)
HEAVY = ("matplotlib", "numpy", "sacrebleu", "sacremoses", "jieba", "thot", "scipy", "kenlm")


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
    shown = CliRunner().invoke(app, [*words, "--help"], env={"COLUMNS": "80"}).stdout
    assert "Examples" in shown
    assert f"tunesmith {' '.join(words)}" in shown.split("Examples")[1]
    for parameter in command.params:
        assert parameter.param_type_name == "argument" or parameter.help, parameter.name


def help_of(words, word="--help"):
    ended = CliRunner().invoke(app, [*words, word], env={"COLUMNS": "80"})
    assert ended.exit_code == 0, ended.output
    return ended.stdout


@pytest.mark.parametrize("words", [(), *(words for words, _ in verbs())], ids=" ".join)
def test_help_names_no_type_of_flags_and_help_all_has_every_option(words):
    short, whole = help_of(words), help_of(words, "--help-all") if words else help_of(words)
    for kind in ("bool", "int", "int range", "float", "float range", "str", "path"):
        assert f"<{kind}>" not in short + whole
    for parameter in dict(verbs())[words].params if words else ():
        if parameter.param_type_name == "option":
            assert any(f"{name} " in whole or f"{name}," in whole for name in parameter.opts), parameter.opts
            shown = not parameter.required or any(f"{name} " in short for name in parameter.opts)
            assert shown, f"{parameter.opts} is required"
    if short != whole:
        assert f"tunesmith {' '.join(words)} --help-all" in short


def test_a_value_of_another_kind_is_named_in_words():
    for option, wrong, kind in (("--rounds", "many", "whole number"), ("--k", "5.5", "whole number")):
        ended = CliRunner().invoke(app, ["tune", option, wrong, "-o", "x"], env={"COLUMNS": "200"})
        assert ended.exit_code == 2
        assert f"'{wrong}' is not a valid {kind}" in ended.stderr


def test_the_help_of_verbs_with_many_options_is_short():
    assert len(help_of(["tune"]).strip().splitlines()) <= 45
    many = [words for words, verb in verbs() if len(verb.params) > 22]
    assert ("tune",) in many
    for words in many:
        assert len(help_of(words).splitlines()) <= 50, words
        assert help_of(words, "--help-all").count("╭") > 1, words  # panels


def test_one_default_number_of_threads():
    defaults = {each.default for _, verb in verbs() for each in verb.params if "--threads" in each.opts}
    assert len(defaults) == 1
    assert 1 <= defaults.pop() <= 4


def test_the_help_begins_with_where_to_start():
    text = help_of([])
    start = text.split("Start here")[1].splitlines()[1:4]
    for verb, line in zip(("rerank", "train", "experiment"), start, strict=True):
        assert verb in line


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


def test_a_closed_pipe_loses_no_file(tmp_path):
    """The removed pairs go to head, which has seen enough; the results are written all the same."""
    (tmp_path / "s").write_text("a\n\n" * 20000)
    (tmp_path / "t").write_text("b\n" * 40000)
    words = f"clean {tmp_path}/s {tmp_path}/t -q -o {tmp_path}/out/ --removed -"
    command = f"{sys.executable} -m tunesmith {words} | head -n 1"
    subprocess.run(["bash", "-c", command], capture_output=True, check=True)
    assert (tmp_path / "out/s").read_text() == "a\n" * 20000
    assert (tmp_path / "out/t").read_text() == "b\n" * 20000


@pytest.mark.parametrize("module", ["tunesmith", "tunesmith.cli.main"])
def test_importing_loads_no_heavy_library(module):
    code = f"import sys, {module}; print([name for name in {HEAVY!r} if name in sys.modules])"
    assert subprocess.check_output([sys.executable, "-c", code], text=True) == "[]\n"


def test_a_shell_can_complete_verbs_and_options():
    """What the completion script that --install-completion writes asks for."""
    command = Path(sys.executable).parent / "tunesmith"
    for typed, expected in (("tunesmith ev", "evaluate"), ("tunesmith evaluate --low", "--lowercase")):
        asked = {"_TUNESMITH_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
        found = subprocess.check_output([command], env={**os.environ, **asked}, text=True)
        assert expected in found.split()


def test_an_interruption_ends_in_one_line_and_leaves_no_file(tmp_path):
    command = [sys.executable, "-m", "tunesmith", "phrasebook", "--pairs", "500000", "-o", str(tmp_path / "out")]
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=default_signals,
    ) as process:
        until((tmp_path / "out").exists)  # made before the work begins
        process.send_signal(signal.SIGINT)
        _, messages = process.communicate(timeout=HANGS)
    assert (process.returncode, messages) == (130, "tunesmith: interrupted\n")
    assert not list((tmp_path / "out").iterdir())


# Python drops what a finaliser raises, and with it a Ctrl-C that comes there.
DROPPED = """
import os, time
from tunesmith.cli import entry, main
class Finalised:
    def __del__(self):
        os.kill(os.getpid(), {number})
def app():
    Finalised()
    time.sleep({hangs})
main.app = app
entry.run()
"""


@pytest.mark.parametrize(
    ("sent", "line"), [("SIGINT", "interrupted"), ("SIGTERM", "ended by SIGTERM"), ("SIGHUP", "ended by SIGHUP")]
)
def test_a_signal_that_python_drops_counts(sent, line):
    number = int(getattr(signal, sent))
    ran = subprocess.run(
        [sys.executable, "-c", DROPPED.format(number=number, hangs=HANGS)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=default_signals,
    )
    assert (ran.returncode, ran.stderr) == (128 + number, f"tunesmith: {line}\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("words", [["--version"], ["--help"], ["evaluate", "-b", "{0}", "--refs", "{1}"]])
def test_a_full_disk_is_said_in_one_line(tmp_path, words):
    (tmp_path / "a").write_text("a b c d\n")
    (tmp_path / "b").write_text("a b c e\n")
    filled = [word.format(tmp_path / "a", tmp_path / "b") for word in words]
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "tunesmith", *filled]
        ended = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert ended.returncode == 1
    assert b"Traceback" not in ended.stderr
    assert b"No space left" in ended.stderr


@pytest.mark.parametrize("verb", ["phrasebook", "demo", "clean"])
def test_a_folder_that_cannot_be_made_is_refused_before_any_work(tmp_path, verb):
    (tmp_path / "file").write_text("a\n")
    (tmp_path / "other").write_text("b\n")
    given = [str(tmp_path / "file"), str(tmp_path / "other")] if verb == "clean" else []
    for folder in (f"{tmp_path}/file/x/", "/proc/nothing/", "-"):
        ended = run(verb, *given, "-o", folder)
        assert ended.returncode == 2, ended
        assert "Traceback" not in ended.stderr


def test_numbers_beyond_reason_are_refused_or_harmless(tmp_path):
    (tmp_path / "a").write_text("a b\n" * 300)
    (tmp_path / "b").write_text("a c\n" * 300)
    assert run("vocab", "--limit", "9" * 20, str(tmp_path / "a")).returncode == 2
    assert (
        run("evaluate", str(tmp_path / "a"), "--refs", str(tmp_path / "b"), "--bootstrap", "9" * 12).returncode
        == 2
    )
    many = run("evaluate", "-b", "-j", "9999", str(tmp_path / "a"), "--refs", str(tmp_path / "b"))
    assert (many.returncode, many.stderr) == (0, "")
    assert run("evaluate", "-j", "100000", str(tmp_path / "a"), "--refs", str(tmp_path / "b")).returncode == 2
