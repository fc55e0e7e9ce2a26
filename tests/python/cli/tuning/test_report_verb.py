"""`tunesmith report`, and the page that `tune` writes."""

import json
import signal
import subprocess
import sys

import pytest
from support.processes.processes import default_signals
from support.processes.waiting import HANGS
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.evaluation.compare import compare
from tunesmith.evaluation.settings import Resampling
from tunesmith.io import read_lines, write_lines
from tunesmith.metrics import Bleu
from tunesmith.signature import Signature


def ran(*words, code=0):
    ended = CliRunner().invoke(app, [str(word) for word in words])
    assert ended.exit_code == code, ended.output
    return ended


@pytest.fixture(scope="module")
def work(tmp_path_factory):
    """A small model of the phrasebook and two runs with it."""
    folder = tmp_path_factory.mktemp("report")
    ran("phrasebook", "--pairs", 300, "--eval-sentences", 12, "--references", 2, "-q", "-o", folder / "corpus")
    ran("train", "--source", folder / "corpus/train.zh", "--target", folder / "corpus/train.en", "--aligner",
        "fast_align", "--order", 3, "-q", "-o", folder / "model")  # fmt: skip
    for recipe in ("mira", "pro"):
        ran("tune", "-m", folder / "model", "--dev", folder / "corpus/dev.zh", "--refs",
            folder / "corpus/dev.en.*", "--recipe", recipe, "--rounds", 2, "--k", 10, "-q", "-o",
            folder / recipe)  # fmt: skip
    return folder


def test_tuning_writes_the_page(work):
    text = (work / "mira/report.html").read_text(encoding="utf-8")
    assert "finished: all 2 rounds" in text
    assert "derivations" not in text
    assert read_lines(work / "corpus/dev.zh")[0] in json.loads(read_lines(work / "mira/dev.jsonl")[0])["source"]


def test_a_model_adds_derivations_of_the_words_that_are_shown(work):
    ran("report", work / "mira", "-m", work / "model", "-o", work / "dev.html")
    text = (work / "dev.html").read_text(encoding="utf-8")
    assert "<summary>derivations</summary>" in text
    assert "translates:" not in text  # decoding again gives what the run has kept


def test_a_test_set_is_decoded_and_judged(work):
    test = ("-m", work / "model", "--test", work / "corpus/test.zh", "--refs", work / "corpus/test.en.*")
    ran("report", work / "mira", *test, "-o", work / "test.html")
    assert "sentences of test.zh are translated differently" in (work / "test.html").read_text(encoding="utf-8")
    found = json.loads(ran("report", work / "mira", work / "pro", *test, "-f", "json").stdout)
    assert found["data"] == "test.zh"
    outputs = {}
    for recipe in ("mira", "pro"):
        ran("translate", "-m", work / "model", "-W", work / recipe / "weights.tsv", "-q", work / "corpus/test.zh",
            "-o", work / f"{recipe}.out")  # fmt: skip
        outputs[recipe] = read_lines(work / f"{recipe}.out")
    files = sorted((work / "corpus").glob("test.en.*"))
    prepared = Bleu().prepare(list(zip(*(read_lines(path) for path in files), strict=True)))
    rows = {name: prepared.statistics(lines) for name, lines in outputs.items()}
    expected = compare(Bleu(), rows, Signature("BLEU"), Resampling())
    assert found["tests"]["systems"] == [system.as_dict() for system in expected.systems]


def test_several_runs_are_compared_on_dev(work):
    ended = ran("report", work / "mira", work / "pro", "-o", work / "compare.html")
    lines = ended.stdout.splitlines()
    assert [line.split()[:2] for line in lines[1:3]] == [["mira", "mira"], ["pro", "pro"]]
    assert "Sentences that differ" in (work / "compare.html").read_text(encoding="utf-8")
    assert r"\begin{tabular}" in ran("report", work / "mira", work / "pro", "--latex", "-q").stdout
    document = json.loads(ran("report", work / "mira", "-f", "json").stdout)
    assert document["state"] == "finished"
    assert document["changes"]["total"] == 12


@pytest.mark.parametrize(
    ("words", "message"),
    [(["--latex"], "two runs or more"), (["--refs", "x"], "--refs belongs to --test"),
     (["--test", "x"], "needs -m MODEL"), (["--tokenized"], "--tokenized belongs to --test"),
     (["--subwords", "none"], "--subwords belongs to --test"),
     (["--test", "x", "--refs", "y", "-m", "z", "--subwords", "chars"], "sentencepiece")],
)  # fmt: skip
def test_options_that_do_not_go_together_are_refused(work, words, message):
    assert message in ran("report", work / "mira", *words, code=2).output


def test_a_folder_without_a_run_is_refused(tmp_path):
    assert "not the folder of a tuning run" in ran("report", tmp_path, code=2).output


# The optimizer of round 2 never comes back.
STUCK = """
import sys, time
from tunesmith.tuning.loop.steps import Optimise
usual = Optimise.run
def run(self, state, context):
    if state.round == 2:
        print("at work", flush=True)
        time.sleep(1000)
    return usual(self, state, context)
Optimise.run = run
from tunesmith.cli.main import app
app()
"""


def test_an_interrupted_run_has_a_page_that_says_so(work):
    words = ["tune", "-m", work / "model", "--dev", work / "corpus/dev.zh", "--refs", work / "corpus/dev.en.*",
             "--rounds", 5, "--k", 10, "-q", "-o", work / "stopped"]  # fmt: skip
    with subprocess.Popen(
        [sys.executable, "-c", STUCK, *map(str, words)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=default_signals,
    ) as process:
        assert process.stdout.readline() == b"at work\n"
        process.send_signal(signal.SIGINT)
        messages, _ = process.communicate(timeout=HANGS)
    assert process.returncode == 130, messages
    assert messages.startswith(b"tunesmith: interrupted; the best weights so far are in ")
    text = (work / "stopped/report.html").read_text(encoding="utf-8")
    assert '<p class="small">interrupted</p>' in text
    assert "on dev, round 1" in text or "on dev, round 0" in text


def test_runs_of_lists_have_a_page_too(tmp_path):
    lines = [f"{sentence} ||| {text} ||| lm= {-at} length= {-len(text.split())} ||| 0" for sentence in (0, 1)
             for at, text in enumerate(["a b c d e", "a b c", "a b c d f"])]  # fmt: skip
    write_lines(tmp_path / "dev.nbest", lines)
    write_lines(tmp_path / "dev.en", ["a b c d f", "a b c d f"])
    ran("tune", "--candidates", tmp_path / "dev.nbest", "--refs", tmp_path / "dev.en", "--recipe", "mert", "-q",
        "-o", tmp_path / "run")  # fmt: skip
    text = (tmp_path / "run/report.html").read_text(encoding="utf-8")
    assert "normalised" in text
    assert "<dt>source</dt>" not in text
    assert "<dt>reference</dt><dd>a b c d f</dd>" in text
