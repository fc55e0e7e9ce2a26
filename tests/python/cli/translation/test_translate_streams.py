"""Lines of `translate` as they come: from pipes, from a terminal, and what an interrupt leaves."""

import os
import pty
import select
import signal
import subprocess
import sys
import time

import pytest
from support.corpora.tea_corpus import PAIRS, write_pairs
from support.processes.processes import default_signals
from support.processes.waiting import HANGS
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.io import read_lines, write_lines
from tunesmith.search import read_kbest


def run(*words, stdin=None):
    return CliRunner().invoke(app, [str(word) for word in words], input=stdin)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streams")
    trained = run("train", *write_pairs(folder), "--order", 3, "--aligner", "hmm", "-q", "-o", folder / "model")
    assert trained.exit_code == 0, trained.output
    return folder / "model"


def started(model, *words, **streams):
    command = [sys.executable, "-m", "tunesmith", "translate", "-m", str(model), *map(str, words)]
    return subprocess.Popen(command, preexec_fn=default_signals, **streams)


def test_a_line_of_a_pipe_is_answered_before_the_next_one_is_written(model):
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = started(model, "-j", 2, **pipes)
    for line in ("tee", "x", "ich trinke tee", "", "tee"):  # shorter and longer than what archives begin with
        process.stdin.write(f"{line}\n".encode())
        process.stdin.flush()
        wanted = {"tee": "tea", "ich trinke tee": "i drink tea"}.get(line, line)
        assert process.stdout.readline().decode() == f"{wanted}\n"
    process.stdin.close()
    assert process.wait(HANGS) == 0
    process.stdout.close()
    process.stderr.close()


class Terminal:
    """A program in its own terminal."""

    def __init__(self, model, *words, stdout=None):
        self.own, theirs = pty.openpty()
        self.process = started(model, *words, stdin=theirs, stdout=theirs if stdout is None else stdout,
                               stderr=theirs, start_new_session=True)  # fmt: skip
        os.close(theirs)
        self.seen = ""

    def type(self, text):
        os.write(self.own, text.encode())

    def until(self, text):
        """Read up to this text."""
        end = time.monotonic() + HANGS
        while text not in self.seen:
            assert time.monotonic() < end, f"{text!r} is not in {self.seen!r}"
            if select.select([self.own], [], [], 1)[0]:
                try:
                    self.seen += os.read(self.own, 4096).decode(errors="replace")
                except OSError:  # closed on the other side
                    break
        before, found, self.seen = self.seen.partition(text)
        assert found, before
        return before

    def interrupt(self):
        os.kill(self.process.pid, signal.SIGINT)

    def close(self):
        code = self.process.wait(HANGS)
        while select.select([self.own], [], [], 0)[0]:
            try:
                self.seen += os.read(self.own, 4096).decode(errors="replace")
            except OSError:  # closed on the other side
                break
        os.close(self.own)
        return code


def test_a_terminal_is_a_prompt_where_control_c_drops_the_line(model):
    terminal = Terminal(model)
    terminal.until("> ")
    terminal.type("ich trinke tee\n")
    terminal.until("i drink tea")
    terminal.until("> ")
    for _ in range(20):  # some come just before the prompt waits
        terminal.interrupt()
        terminal.until("> ")
    terminal.type("qwertz")
    terminal.until("qwertz")
    terminal.interrupt()
    terminal.until("> ")
    terminal.type("tee\n")
    assert "qwertz" not in terminal.until("tea")
    terminal.until("> ")
    terminal.type("\x04")
    assert terminal.close() == 0
    assert "a second" not in terminal.seen  # the user's time to think is not counted


def test_the_prompt_is_not_in_the_output(model, tmp_path):
    with (tmp_path / "out").open("wb") as out:
        terminal = Terminal(model, stdout=out)
    terminal.until("> ")
    terminal.type("tee\n")
    terminal.until("> ")
    terminal.type("\x04")
    assert terminal.close() == 0
    assert (tmp_path / "out").read_text() == "tea\n"


def test_a_terminal_sees_progress_where_translations_go_to_a_file(model, tmp_path):
    write_lines(tmp_path / "in", ["tee"] * 50)
    terminal = Terminal(model, tmp_path / "in", "-o", tmp_path / "out")
    terminal.until("translating")
    terminal.until("50 lines in")
    assert terminal.close() == 0
    assert (tmp_path / "out").read_text() == "tea\n" * 50


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_keeps_what_was_translated(model, tmp_path, number):
    output = tmp_path / "out"
    output.write_text("old\n")
    process = started(model, "-o", output, stdin=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdin.write(b"tee\n" * 5)
    process.stdin.flush()
    end = time.monotonic() + HANGS
    while not any(part.stat().st_size == len("tea\n" * 5) for part in tmp_path.iterdir()):
        assert time.monotonic() < end
        time.sleep(0.05)
    process.send_signal(number)
    _, errors = process.communicate(timeout=HANGS)
    said = errors.decode().strip().splitlines()[-1]
    assert process.returncode == 128 + number
    if number == signal.SIGINT:
        assert said == f"tunesmith: interrupted; 5 lines were translated; see {output}"
        assert output.read_text() == "tea\n" * 5
    else:
        assert output.read_text() == "old\n"
    assert [each.name for each in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize(
    ("text", "causes"),
    [
        ("Ich Trinke Tee\nDer Tee\n", ["lower-case it as"]),
        ("ich trinke, tee. tee! kaffee?\n", ["tokenise it as"]),
        ("Ich trinke Tee. Der Tee, heiß!\n", ["tokenise it and lower-case it as"]),
        ("one two three four\n", ["source language of the model"]),
        ("ich trinke tee qwertz\n", []),
        ("", []),
    ],
)
def test_many_unknown_words_are_told_with_the_likely_cause(model, text, causes):
    ended = run("translate", "-m", model, stdin=text)
    assert ended.exit_code == 0
    assert all(cause in ended.stderr for cause in causes)
    assert ("are unknown to the model" in ended.stderr) == bool(causes)
    quiet = run("translate", "-m", model, "-q", stdin=text).stderr
    assert ("warning" in quiet) == bool(causes)


def test_lists_have_the_alignment_of_each_derivation(model, tmp_path):
    write_lines(tmp_path / "in", [pair[0] for pair in PAIRS])
    given = ("translate", "-m", model, "-q", tmp_path / "in")
    best = run(*given, "--alignment").stdout.splitlines()
    lists = run(*given, "--kbest", 5, "--alignment").stdout
    plain = run(*given, "--kbest", 5).stdout
    assert [line.rpartition(" ||| ")[0] for line in lists.splitlines()] == plain.splitlines()
    firsts = {line.split(" ||| ")[0]: line.split(" ||| ") for line in reversed(lists.splitlines())}
    assert [f"{firsts[str(at)][1]} ||| {firsts[str(at)][-1]}" for at in range(len(best))] == best
    write_lines(tmp_path / "lists", lists.splitlines())
    assert read_kbest(tmp_path / "lists").rest is not None


def test_a_model_directory_is_as_good_as_its_rule_table(model):
    assert run("rules", "show", model).stdout == run("rules", "show", model / "rules").stdout != ""
    assert run("rules", "stats", model, "--check").exit_code == 0


def test_another_text_is_not_trained_over_a_model(model, tmp_path):
    files = write_pairs(tmp_path)
    given = ("train", *files, "--order", 2, "--aligner", "ibm1", "-q", "-o", tmp_path / "model")
    assert run(*given).exit_code == 0
    before = (tmp_path / "model" / "weights.tsv").read_bytes()
    source = tmp_path / "f"
    write_lines(source, [line.replace("heiß", "kalt") for line in read_lines(source)])
    for more in ([], ["--dry-run"]):
        refused = run(*given, *more)
        assert refused.exit_code == 2
        assert "was made from other text than" in refused.stderr
        assert "--restart" in refused.stderr
    assert (tmp_path / "model" / "weights.tsv").read_bytes() == before
    assert run(*given, "--restart").exit_code == 0
    assert run(*given).exit_code == 0
