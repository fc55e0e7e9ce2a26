"""`tunesmith tune` on lists, as a user runs it."""

import csv
import json
import shutil
import sys

import pytest
from support.lists.curves import scalars
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.weights import Weights

NBEST = """\
0 ||| cat sat the mat ||| lm= -7 length= -4 rare= 0 ||| -7
0 ||| the cat sat on the mat ||| lm= -9 length= -6 rare= 1 ||| -9
0 ||| the cat the cat sat on the mat ||| lm= -14 length= -8 rare= 0 ||| -14
1 ||| dog and cat ||| lm= -5 length= -3 rare= 0 ||| -5
1 ||| a dog and a cat ||| lm= -8 length= -5 rare= 0 ||| -8
1 ||| a dog and and a cat ||| lm= -13 length= -6 rare= 0 ||| -13
"""


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


@pytest.fixture
def lists(tmp_path):
    (tmp_path / "dev.nbest").write_text(NBEST)
    (tmp_path / "dev.en").write_text("the cat sat on the mat\na dog and a cat\n")
    return ["--candidates", tmp_path / "dev.nbest", "--refs", tmp_path / "dev.en"]


@pytest.mark.parametrize("recipe", ["mert", "mira", "pro", "risk", "svm", "ramp"])
def test_lists_are_tuned(lists, tmp_path, recipe):
    ended = run("tune", *lists, "--recipe", recipe, "-o", tmp_path / "run", "-f", "json")
    assert ended.exit_code == 0, ended.output
    found = json.loads(ended.stdout)
    assert (found["recipe"], found["metric"], found["reason"]) == (recipe, "BLEU", "one round")
    # Weights of 0 choose the first candidates, which are too short. The references are among the others.
    assert found["start_score"] < 25
    assert found["score"] == pytest.approx(100) or (recipe == "mert" and found["score"] > 70)  # a local optimum
    assert [row["score"] for row in found["rounds"]] == [found["start_score"], found["score"]]
    weights = Weights.read(tmp_path / "run" / "weights.tsv")
    assert weights.names == ["lm", "length", "rare"]
    assert weights.signature.startswith(f"tune {recipe}|")
    again = run("tune", *lists, "--recipe", recipe, "-o", tmp_path / "run")
    assert again.stdout.startswith(f"BLEU {found['score']:.2f} in round {found['best_round']}")


@pytest.mark.parametrize(
    ("recipe", "settings", "said"),
    [("pro", [], True), ("risk", [], True), ("pro", ["--set", "gain=corpus"], False), ("mira", [], False)],
)
def test_output_that_stays_short_names_the_setting_that_moves_it(lists, tmp_path, recipe, settings, said):
    (tmp_path / "dev.en").write_text("the cat sat on the mat all day long\na dog and a cat sat on a large mat\n")
    ended = run("tune", *lists, "--recipe", recipe, *settings, "-o", tmp_path / "run")
    assert ended.exit_code == 0, ended.output
    assert ("larger brevity than 0.5" in ended.stderr) == said
    again = run("tune", *lists, "--recipe", recipe, *settings, "-q", "-o", tmp_path / "run")
    assert "brevity" not in again.output


def test_settings_reach_the_parts_and_the_signature(lists, tmp_path):
    options = ["--recipe", "pro", "--set", "keep=7", "--regularizer", "oscar:l1=1e-3,l2=1e-5", "--seed", 5]
    ended = run("tune", *lists, *options, "--lowercase", "-o", tmp_path / "run", "-f", "json")
    assert ended.exit_code == 0, ended.output
    signature = json.loads(ended.stdout)["signature"]
    assert signature["loss"]["keep"] == 7
    assert (signature["regularizer"]["method"], signature["optimizer"]["method"]) == ("Oscar", "Fista")
    assert (signature["seed"], signature["metric"]["case"]) == (5, "lc")


@pytest.mark.parametrize("recipe", ["mira", "risk", "svm", "ramp"])
def test_weights_can_be_fixed_and_bounded(lists, tmp_path, recipe):
    (tmp_path / "start.tsv").write_text("lm\t1\nlength\t-0.5\nunheard\t3\n")
    options = ["--recipe", recipe, "--start", tmp_path / "start.tsv", "--fix", "lm", "--bound", "length<=-0.25"]
    ended = run("tune", *lists, *options, "-o", tmp_path / "run")
    assert ended.exit_code == 0, ended.output
    assert "unheard" in ended.stderr
    tuned = Weights.read(tmp_path / "run" / "rounds" / "01" / "weights.tsv")
    assert tuned["lm"] == 1.0
    assert tuned["length"] <= -0.25


def test_presets_start_what_they_know(lists, tmp_path):
    ended = run("tune", *lists, "--start", "cherry2012", "-o", tmp_path / "run")
    assert ended.exit_code == 0, ended.output
    assert Weights.read(tmp_path / "run" / "rounds" / "00" / "weights.tsv")["lm"] == 1.0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--recipe", "mirra"], "Did you mean 'mira'"),
        (["--recipe", "mert", "--plain"], "plain"),
        (["--recipe", "svm", "--regularizer", "none"], "cannot do without a penalty"),
        (["--recipe", "svm", "--set", "strength=0"], "cannot do without a penalty"),
        (["--recipe", "svm", "--regularizer", "oscar"], "cannot work with Oscar"),
        (["--recipe", "svm", "--penalty", "lm=0"], "cannot leave a feature without penalty"),
        (["--recipe", "risk", "--plain", "--fix", "lm"], "keeps no constraints"),
        (["--set", "keep"], "setting 'keep'"),
        (["--set", "colour=red"], "no setting 'colour'"),
        (["--recipe", "mert", "--regularizer", "l2"], "takes no regularizer"),
        (["--regularizer", "l3"], "unknown regularizer"),
        (["--metric", "precomputed"], "--scores"),
        (["--bound", "lm>0"], "bound 'lm>0'"),
        (["--fix", "lmm"], "no feature is called 'lmm'"),
        (["--start", "nowhere"], "cherry2012"),
        (["--k", "5"], "lists are taken as they are"),
        (["-m", "model"], "either a model"),
        (["--tokenized"], "--tokenized is for tuning a model"),
        (["--folds", "2"], "--folds is for tuning a model"),
        (["--pop-limit", "50", "--max-span", "5"], "--pop-limit, --max-span limits the search of a model"),
        (["--scores", "a", "b"], "1 files of --candidates and 2 of --scores"),
        (["--train-source", "x"], "--train-source belongs to --train-candidates"),
        (["--heldout-source", "x"], "--heldout-source belongs to --heldout"),
        (["--log-csv", "-"], "--log-csv -: is written again after every round"),
        (["--log-csv", "{}/run/log.csv"], "is in the run directory"),
        (["--log-csv", "{}/dev.en"], "dev.en: is an input"),
        (["--log-csv", "{}"], "is a folder; expected the name of a file"),
        (["--tensorboard", "{}/dev.en"], "dev.en: is a file; expected a folder"),
        (["--tensorboard", "{}/x", "--log-csv", "{}/x"], "are both"),
        (["--log-csv", "{}/log.csv", "--seeds", "2"], "--log-csv is for one run"),
        (["--log-csv", "{}/log.csv", "--cross-validate", "2"], "--log-csv is for one run"),
    ],
)
def test_what_cannot_work_is_told_and_nothing_is_written(lists, tmp_path, words, message):
    before = sorted(tmp_path.iterdir())
    ended = run("tune", *lists, *(word.format(tmp_path) for word in words), "-o", tmp_path / "run")
    assert (ended.exit_code, ended.stdout) == (2, ""), ended.output
    assert message in ended.stderr
    assert not (tmp_path / "run" / "weights.tsv").exists()
    assert sorted(path for path in tmp_path.iterdir() if path.name != "run") == before


def test_histories_are_written_for_other_programs(lists, tmp_path, monkeypatch):
    """As the run ends, and again by the same command on a run that has ended."""
    pytest.importorskip("tensorboardX", reason="tensorboardX, an extra, is not installed")
    words = ["tune", *lists, "-q", "-f", "json", "-o", tmp_path / "run"]
    logs = ["--log-csv", tmp_path / "log.csv", "--tensorboard", tmp_path / "new" / "curves"]
    scores = None
    for _ in range(2):
        ended = run(*words, *logs)
        assert ended.exit_code == 0, ended.output
        scores = [row["score"] for row in json.loads(ended.stdout)["rounds"]]
        with (tmp_path / "log.csv").open() as stream:
            assert [float(row["score"]) for row in csv.DictReader(stream)] == scores
        curves = scalars(tmp_path / "new" / "curves")["score"]
        assert curves == pytest.approx(dict(enumerate(scores)), rel=1e-6)
        shutil.rmtree(tmp_path / "new")
        (tmp_path / "log.csv").unlink()
    for name in ("tensorboardX", "torch.utils.tensorboard"):
        monkeypatch.setitem(sys.modules, name, None)
    ended = run("tune", *lists, *logs, "-o", tmp_path / "other")
    assert (ended.exit_code, "pip install 'tunesmith[tensorboard]'" in ended.stderr) == (2, True), ended.output
    assert not (tmp_path / "other").exists()


def test_inputs_belong_together(tmp_path, lists):
    for words, message in (
        ([], "either a model"),
        (["-m", tmp_path], "--dev FILE and --refs"),
        (["-m", tmp_path, "--dev", "x", "--refs", "y", "--scores", "z"], "--scores belongs to --candidates"),
        (lists[:2], "lists need references: --refs FILE"),
    ):
        ended = run("tune", *words, "-o", tmp_path / "run")
        assert (ended.exit_code, message in ended.stderr) == (2, True), ended.output


def test_bad_lists_are_told_with_their_place(tmp_path, lists):
    (tmp_path / "dev.nbest").write_text(NBEST + "0 ||| late ||| lm= -1 ||| 0\n")
    ended = run("tune", *lists, "-o", tmp_path / "run")
    assert (ended.exit_code, "dev.nbest:7" in ended.stderr) == (1, True), ended.output


@pytest.mark.parametrize(
    ("recipe", "settings", "least"),
    [("mira", "passes=60", 40.62), ("pro", "keep=50", 39.9), ("mert", "restarts=1", 40.5)],
)
def test_lists_of_moses(shared, tmp_path, recipe, settings, least):
    """List BLEU next to that of Moses' own tools on the same lists (shared/reference/README.md)."""
    lists = shared / "reference" / "tune"
    words = [
        "--candidates",
        lists / "*.features.dat.gz",
        "--scores",
        lists / "*.scores.dat.gz",
        "--recipe",
        recipe,
    ]
    ended = run("tune", *words, "--set", settings, "-o", tmp_path / "run", "-f", "json")
    assert ended.exit_code == 0, ended.output
    found = json.loads(ended.stdout)
    assert "158385 different candidates of 1014 sentences, 14 features" in ended.stderr
    assert found["start_score"] == pytest.approx(39.10, abs=0.01)
    assert found["score"] >= least
