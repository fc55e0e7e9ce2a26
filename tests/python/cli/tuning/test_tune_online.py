"""`tunesmith tune` with online recipes: a set that chooses, fixed lists, what is refused."""

import json

import numpy as np
import pytest
from support.models.toy_decoder import ToyDecoder, toy_data
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.tuning import KBestSource

LINES, REFERENCES = toy_data(sentences=10)


@pytest.fixture
def lists(tmp_path):
    found = KBestSource(ToyDecoder(), LINES, REFERENCES, k=8).candidates(np.full(3, 0.1))
    found.save(tmp_path / "lists")
    (tmp_path / "refs").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    (tmp_path / "start").write_text("f0\t0.1\nf1\t0.1\nf2\t0.1\n", encoding="utf-8")
    return tmp_path


def run(*words):
    return CliRunner().invoke(app, ["tune", *map(str, words)])


@pytest.mark.parametrize("recipe", ["expected-bleu", "online-pro", "online-mira", "mixed-mira"])
def test_lists_are_learnt_from_online(lists, recipe):
    ended = run("--candidates", lists / "lists", "--refs", lists / "refs", "--start", lists / "start", "--recipe",
                recipe, "--rounds", 3, "-f", "json", "-o", lists / "run")  # fmt: skip
    assert ended.exit_code == 0, ended.output
    rows = [json.loads(line) for line in (lists / "run" / "history.jsonl").read_text().splitlines()]
    assert [row["round"] for row in rows] == [0, 1, 2, 3]
    assert {"score last", "score average", "loss", "active dense"} <= rows[1]["details"].keys()
    page = (lists / "run" / "report.html").read_text(encoding="utf-8")
    assert "BLEU of both weights" in page
    assert "Weights that came and went" in page


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--candidates", "x", "--select", "a", "--select-refs", "b"], "--select is for tuning a model"),
        (["-m", "m", "--dev", "d", "--refs", "r", "--select", "a"], "needs both: --select FILE"),
        (["-m", "m", "--dev", "d", "--refs", "r", "--train", "t", "--train-refs", "u", "--select", "a",
          "--select-refs", "b"], "the development data chooses already"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(tmp_path, words, message):
    ended = run(*words, "-o", tmp_path / "run")
    assert ended.exit_code == 2
    assert message in " ".join(ended.stderr.split())


def test_a_regularizer_that_ties_weights_is_refused_at_once(lists):
    ended = run("--candidates", lists / "lists", "--refs", lists / "refs", "--recipe", "expected-bleu",
                "--regularizer", "oscar", "-o", lists / "run")  # fmt: skip
    assert ended.exit_code == 2
    assert "AdaGrad cannot work with Oscar" in " ".join(ended.stderr.split())
