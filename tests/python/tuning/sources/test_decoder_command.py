"""An external decoder in the loop, and weights as it reads them."""

import os
import shlex
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import pytest
from support.processes.processes import default_signals, is_running, numbers_in
from support.processes.waiting import until
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.errors import ConfigError, FormatError, TunesmithError
from tunesmith.metrics import SentenceMetric
from tunesmith.tuning import recipes
from tunesmith.tuning.runs.directory import FAILURE
from tunesmith.tuning.sources.base import prepared_for
from tunesmith.tuning.sources.command import CommandSource, DecoderCommand
from tunesmith.weight_formats import read_weights, weights_format, write_weights
from tunesmith.weights import Weights

STUB = Path(__file__).parents[3] / "support" / "models" / "stub_decoder.py"
TEMPLATE = """\
# a comment stays
[input-factors]
0

[feature]
Length

[weight]
Length0= 0.1
TM0= 0.09 0

[distortion-limit]
6
"""
SENTENCES = ["a b c d e f", "the cat sat on the mat", "one two three four five", "x y z w v u t"]


@dataclass(frozen=True)
class LastWord(SentenceMetric):
    """Keeps the last word of every source sentence."""

    name: ClassVar[str] = "last"
    label: ClassVar[str] = "last"
    seen: list[str] = field(default_factory=list)

    def score_batch(self, segments):
        self.seen.extend(each.source.split()[-1] for each in segments)
        return [0.0] * len(segments)


def command(mode="good", nbest="{nbest}"):
    return f"{shlex.quote(sys.executable)} {STUB} {mode} -f {{config}} -n-best-list {nbest} {{k}} < {{source}}"


@pytest.fixture
def data(tmp_path):
    (tmp_path / "moses.ini").write_text(TEMPLATE)
    (tmp_path / "dev").write_text("\n".join(SENTENCES) + "\n")
    return tmp_path


def source(data, mode="good", k=5, nbest="{nbest}", **options):
    decoder = DecoderCommand(command(mode, nbest), data / "moses.ini", **options)
    return CommandSource(decoder, data / "dev", [[text] for text in SENTENCES], k)


@pytest.mark.parametrize("nbest", ["{nbest}", "-"])
def test_the_decoder_is_tuned(data, nbest):
    """The start weights like short output; the references are the lines themselves."""
    tuner = recipes.mira().fit(source(data, nbest=nbest))
    history = tuner.history_
    assert len(history) > 2
    assert history.best.score > history[0].score + 10
    assert tuner.weights_.names[:3] == ["Length0", "TM0_0", "TM0_1"]
    assert list(tuner.weights_.names)[3:] in ([], ["doubled"])


def test_pieces_that_lists_show_are_told_and_settings_stay(data):
    """The stub gives the words of the source back."""
    (data / "dev").write_text("".join(f"{line} ca@@ ts\n" for line in SENTENCES))
    decoder = DecoderCommand(command(), data / "moses.ini")
    words = [[f"{line} cats"] for line in SENTENCES]
    found = CommandSource(decoder, data / "dev", words, 5)
    before = found.settings()
    lists = found.candidates(found.start())
    assert "cats" in " ".join(lists.text(at) for at in range(len(lists))).split()
    assert found.subwords == "bpe"
    assert found.settings() == before
    for asked, seen in ((None, "cats"), ("bpe", "cats"), ("none", "ts")):  # the source has marks of its own
        given = CommandSource(decoder, data / "dev", words, 5, subwords=asked)
        sources = []
        prepared_for(LastWord(seen=sources), given).statistics(SENTENCES)
        assert set(sources) == {seen}
    assert CommandSource(decoder, data / "dev", words, 5, subwords="bpe").settings()["subwords"] == "bpe"
    (data / "refs").write_text("".join(f"{each}\n" for [each] in words))
    given = ["--decoder-command", command(), "--decoder-config", data / "moses.ini", "--dev", data / "dev"]
    given += ["--refs", data / "refs", "--rounds", 1, "-o", data / "run"]
    ended = CliRunner().invoke(app, ["tune", *map(str, given)])
    assert ended.exit_code == 0, ended.output
    assert ended.stderr.count("the candidates: pieces of BPE (@@), joined to words") == 1


@pytest.mark.parametrize(
    ("mode", "message"),
    [
        ("fail", "exit code 1.*\n  cannot load the phrase table"),
        ("empty", "wrote an empty list"),
        ("nothing", "wrote no list"),
        ("line", "ends inside a line"),
        ("garbage", "cannot be read in line 2: .*'many' is not a finite number: .*stub_decoder.py"),
        ("short", "ends after sentence 2 of 4"),
        ("more", "lists of 5 sentences, there are 4"),
    ],
)
def test_what_goes_wrong_is_told(data, mode, message):
    with pytest.raises(TunesmithError, match=message):
        recipes.mira().fit(source(data, mode))


def test_a_decoder_that_hangs_is_ended_with_all_it_started(data):
    with pytest.raises(TunesmithError, match=r"more than 0\.5 seconds"):
        recipes.mira().fit(source(data, "hang", time_limit=0.5))  # it would never end by itself

    def ended():
        listed = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
        return not [line for line in listed.splitlines() if f"{STUB} hang" in line and str(data) in line]

    until(ended)  # what is killed may be listed for a moment


@pytest.mark.parametrize("sent", ["SIGINT", "SIGTERM", "SIGHUP", "SIGKILL"])
def test_the_decoder_ends_with_us(data, sent):
    """With all that it started, and its folder; what a killed run left goes with the next run."""
    number = getattr(signal, sent)
    (data / "tmp").mkdir()
    decoder = f": {{config}} {{source}}; sleep 1000 & echo $$ $! > {data / 'numbers'}; wait"
    words = ["tune", "--decoder-command", decoder, "--decoder-config", data / "moses.ini", "--dev", data / "dev"]
    (data / "refs").write_text((data / "dev").read_text())
    words += ["--refs", data / "refs", "-q", "-o", data / "run"]
    with subprocess.Popen(
        [sys.executable, "-m", "tunesmith", *map(str, words)],
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "TMPDIR": str(data / "tmp")},
        preexec_fn=default_signals,
    ) as process:
        family = numbers_in(data / "numbers", 2)
        process.send_signal(number)
        _, messages = process.communicate()
    until(lambda: not any(map(is_running, family)))
    left = list((data / "tmp").iterdir())
    if sent == "SIGKILL":
        assert process.returncode == -number
        (abandoned,) = left
        os.utime(abandoned, (0, 0))
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tempfile, "tempdir", str(data / "tmp"))
            again = source(data)
            again.candidates(again.start())
        assert not list((data / "tmp").iterdir())
    else:
        assert (process.returncode, left) == (128 + number, [])
        assert len(messages.splitlines()) == 1, messages
        assert messages.startswith("tunesmith: interrupted; ") or sent != "SIGINT"
        assert not (data / "run" / FAILURE).exists()


def test_a_run_goes_on_where_it_was_killed(data):
    """The decoder kills the tuner in its third decoding; the same command then ends as an undisturbed run."""
    whole, cut = data / "whole", data / "cut"
    recipes.mira().fit(source(data), output=whole)
    count = data / "count"
    killer = f"echo >> {count}; if [ $(wc -l < {count}) = 3 ]; then kill -9 $TUNER; fi; {command()}"
    script = (
        "import os, sys\n"
        "os.environ['TUNER'] = str(os.getpid())\n"
        "from tunesmith.cli.entry import run\n"
        "sys.argv[0] = 'tunesmith'\n"
        "run()\n"
    )
    words = ["tune", "--decoder-command", killer, "--decoder-config", data / "moses.ini", "--dev", data / "dev"]
    words += ["--refs", data / "dev", "--k", "5", "-q", "-o", cut]
    (data / "refs").write_text((data / "dev").read_text())
    words[words.index("--refs") + 1] = data / "refs"
    line = [sys.executable, "-c", script, *map(str, words)]
    first = subprocess.run(line, capture_output=True, text=True, check=False)
    assert first.returncode == -signal.SIGKILL, first.stderr
    second = subprocess.run(line, capture_output=True, text=True, check=False)
    assert second.returncode == 0, second.stderr
    assert Weights.read(cut / "weights.tsv") == Weights.read(whole / "weights.tsv")
    assert len((cut / "history.jsonl").read_text().splitlines()) == len(
        (whole / "history.jsonl").read_text().splitlines()
    )


@pytest.mark.parametrize(
    "option",
    [
        "--tokenized",
        "--skip-bad",
        "--source={}",
        "--train-refs={}",
        "--train-source={}",
        "--leave-one-out={}",
        "--folds=2",
    ],
)
def test_options_that_a_command_would_not_read_are_refused(data, option):
    words = ["tune", "--decoder-command", command(), "--decoder-config", data / "moses.ini", "--dev", data / "dev"]
    words += ["--refs", data / "dev", option.format(data / "dev"), "-o", data / "run"]
    ended = CliRunner().invoke(app, [str(word) for word in words])
    assert (ended.exit_code, (data / "run").exists()) == (2, False), ended.output
    assert f"takes no {option.partition('=')[0]}: it reads --dev" in ended.stderr


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("moses < {source}", "needs {config}"),
        ("moses -f {config}", "needs {source}"),
        ("moses -f {config} {lm} < {source}", "has {lm}; known are {config}"),
        ("moses -f {config < {source}", "cannot be read|has {config <"),
        ("moses -f {config} {k:d} < {source}", "has {k:d}; known are {config}"),
        ("moses -f {config!r} < {source}", "has {config!r}; known are {config}"),
    ],
)
def test_a_command_that_cannot_work_is_refused(data, text, message):
    with pytest.raises(ConfigError, match=message):
        DecoderCommand(text, data / "moses.ini")


def test_braces_of_the_shell_are_no_place(data):
    """A command with `${{nbest}}`, a variable of the shell, has no place for the list: it prints it."""
    text = f"nbest=/dev/stdout; {command(nbest='${{nbest}}')}"
    decoder = DecoderCommand(text, data / "moses.ini")
    found = CommandSource(decoder, data / "dev", [[line] for line in SENTENCES], 4)
    assert found.candidates(found.start()).sentences == len(SENTENCES)


def test_templates_and_options_are_checked(data):
    (data / "none.ini").write_text("[weight]\n")
    with pytest.raises(ConfigError, match="has no weights"):
        CommandSource(DecoderCommand(command(), data / "none.ini"), data / "dev", [["a"]] * 4)
    with pytest.raises(ConfigError, match="4 sentences to decode and references for 3"):
        CommandSource(DecoderCommand(command(), data / "moses.ini"), data / "dev", [["a"]] * 3)
    for words, message in (
        (["--decoder-timeout", "5"], "belong to --decoder-command"),
        (["--decoder-command", "x"], "--decoder-config FILE"),
        (["--decoder-command", "x", "--decoder-config", "y", "-m", "z"], "takes the place of"),
        (["--decoder-command", "x", "--decoder-config", "y"], "--dev FILE"),
    ):
        ended = CliRunner().invoke(app, ["tune", "-o", str(data / "run"), *words])
        assert (ended.exit_code, message in ended.stderr) == (2, True), ended.output
    assert not os.path.exists(data / "run" / "weights.tsv")  # noqa: PTH110


def test_moses_reads_what_is_written():
    given = {"Length0": 0.125, "TM0_0": -1e-7, "TM0_1": 3.0, "sparse_a": 0.5, "sparse_b": 0.0}
    assert weights_format(TEMPLATE) == "moses"
    written = write_weights(given, TEMPLATE, "moses", "/tmp/sparse")
    assert read_weights(written.config, "moses", "x") == {"Length0": 0.125, "TM0_0": -1e-7, "TM0_1": 3.0}
    assert written.sparse == "sparse_a 0.5\n"
    assert "[weight-file]\n/tmp/sparse" in written.config
    for kept in ("# a comment stays", "[distortion-limit]\n6", "[feature]\nLength"):
        assert kept in written.config
    assert "0.09" not in written.config
    again = write_weights(given, written.config, "moses", "/tmp/other")
    assert again.config.count("[weight]") == again.config.count("[weight-file]") == 1
    with pytest.raises(ConfigError, match="sparse_a"):
        write_weights(given, TEMPLATE, "moses")
    assert write_weights({"LM0_0": 2.0}, "[weight]\nLM0= 1\n", "moses").config == "[weight]\nLM0= 2.0\n"


@pytest.mark.parametrize(
    "given",
    [
        {"LM0": 0.5, "TM0_0": 1.0, "TM0_1": 2.0},
        {"a_0": 1.0},
        {"a": 1.0, "a_0": 2.0, "a_1": 3.0},
        {"a_1": 1.0, "a_0": 2.0, "b_7": 3.0},
        {},
    ],
)
@pytest.mark.parametrize("kind", ["moses", "cdec"])
def test_weights_alone_come_back(given, kind):
    text = write_weights(given, None, kind).config
    assert read_weights(text, kind, "x") == given
    assert weights_format(text) == kind


@pytest.mark.parametrize(
    ("text", "kind", "line"),
    [
        ("[weight]\nLM0 5\n", "moses", 2),
        ("[weight]\nLM0=\n", "moses", 2),
        ("LM 1 2\n", "cdec", 1),
        ("LM nan\n", "cdec", 1),
    ],
)
def test_wrong_weights_are_named(text, kind, line):
    with pytest.raises(FormatError) as error:
        read_weights(text, kind, "x")
    assert (error.value.path, error.value.line) == ("x", line)


def test_the_verb_writes_both_files(data):
    (data / "w.tsv").write_text("Length0\t1\nTM0_0\t2\nTM0_1\t3\nrare\t4\n")
    words = ["candidates", "weights", data / "w.tsv"]
    ended = CliRunner().invoke(app, [str(word) for word in [*words, "--to", "cdec"]])
    assert ended.stdout == "Length0 1.0\nTM0_0 2.0\nTM0_1 3.0\nrare 4.0\n"
    options = ["--template", data / "moses.ini", "--sparse", data / "sparse", "-o", data / "tuned.ini"]
    ended = CliRunner().invoke(app, [str(word) for word in [*words, *options]])
    assert ended.exit_code == 0, ended.output
    assert "TM0= 2.0 3.0" in (data / "tuned.ini").read_text()
    assert (data / "sparse").read_text() == "rare 4.0\n"
