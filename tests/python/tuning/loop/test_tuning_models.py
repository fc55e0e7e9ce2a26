"""Tuning a trained model: dense, rule identity and sparse features of the search together."""

import signal

import numpy as np
import pytest
from support.damage.resealed import edited
from support.processes.killing import killed_at, signalled_at
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.corpus.bitext import read_references
from tunesmith.decoding import ListDecoder, TranslationModel, load_decoder
from tunesmith.io import read_lines
from tunesmith.metrics import Bleu
from tunesmith.tuning import KBestSource, recipes
from tunesmith.weights import Weights


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    """A folder with a corpus and a small model of it."""
    folder = tmp_path_factory.mktemp("data")
    for words in (
        ["phrasebook", "--pairs", "400", "--eval-sentences", "16", "--references", "2", "-q",
         "-o", folder / "corpus"],
        ["train", "--source", folder / "corpus/train.zh", "--target", folder / "corpus/train.en", "--order", "2",
         "--aligner", "fast_align", "--features", "default,id", "--max-span", "6", "-q", "-o", folder / "model"],
    ):  # fmt: skip
        ended = CliRunner().invoke(app, [str(word) for word in words])
        assert ended.exit_code == 0, ended.output
    with edited(folder / "model/system.toml").open("a") as out:
        out.write('\n[[features]]\ntemplate = "target_bigrams"\n')
    return folder


def opened(data):
    decoder = TranslationModel.open(data / "model").decoder()
    references = read_references([data / "corpus/dev.en.0", data / "corpus/dev.en.1"]).sentences
    return KBestSource(ListDecoder(decoder, "phrasebook"), read_lines(data / "corpus/dev.zh"), references, k=10)


def tune(data, folder=None, threads=1, recipe="mira"):
    chosen = recipes.get(recipe).with_settings("rounds=2")
    return chosen.fit(opened(data), output=folder, threads=threads)


@pytest.fixture(scope="module")
def uninterrupted(data, tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "run"
    tune(data, folder)
    return folder


def bytes_of(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*.tsv")}


def test_tuned_weights_translate_better_and_have_all_kinds_of_features(data, uninterrupted):
    weights = Weights.read(uninterrupted / "weights.tsv")
    templates = {name.split(":")[0] for name in weights.names}
    assert {"lm", "translation", "word_penalty", "id", "target_bigrams"} <= templates
    source = opened(data)
    scores = {}
    for name, given in (("start", None), ("tuned", weights)):
        decoder = TranslationModel.open(data / "model").decoder(given)
        texts = [each.text for each in decoder.translate(source.lines)]
        scores[name] = Bleu().corpus_score(texts, source.references)
    history = tune(data, uninterrupted).history_
    assert scores["tuned"] > scores["start"] + 1
    assert scores["start"] == pytest.approx(history[0].score)
    assert scores["tuned"] == pytest.approx(history.best.score)


@pytest.mark.parametrize("recipe", ["risk", "svm", "ramp"])
def test_other_recipes_learn_from_a_model_too(data, recipe):
    one, two = (tune(data, threads=threads, recipe=recipe) for threads in (1, 2))
    assert one.history_[1].list_score > one.history_[0].score + 1  # what the start chose from the same lists
    assert np.array_equal(one.weights_.array, two.weights_.array)


def test_the_number_of_threads_changes_nothing(data, uninterrupted, tmp_path):
    tune(data, tmp_path / "run", threads=2)
    assert bytes_of(tmp_path / "run") == bytes_of(uninterrupted)


@pytest.mark.parametrize("rename", [4, 9, 16, 25])
def test_a_killed_run_goes_on_to_the_same_bytes(data, uninterrupted, tmp_path, rename):
    """Names of sparse features are numbered again as they were, though the first rounds are not decoded again."""
    folder = tmp_path / "run"
    assert killed_at(rename, lambda: tune(data, folder))
    tune(data, folder)
    assert bytes_of(folder) == bytes_of(uninterrupted)


@pytest.mark.parametrize("rename", [1, 6, 12])
def test_the_verb_is_killed_and_interrupted_at_any_time(data, tmp_path, rename):
    """As a user would: the same command until it ends by itself."""
    words = ["tune", "-m", data / "model", "--dev", data / "corpus/dev.zh", "--refs", data / "corpus/dev.en.0",
             data / "corpus/dev.en.1", "--rounds", "1", "--k", "8", "-q", "-o"]  # fmt: skip
    assert CliRunner().invoke(app, [str(word) for word in (*words, tmp_path / "whole")]).exit_code == 0
    killed = signalled_at(rename, signal.SIGKILL, [*words, tmp_path / "killed"])
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    interrupted = signalled_at(3, signal.SIGINT, [*words, tmp_path / "killed"])
    assert interrupted.returncode == 130, interrupted.stderr
    assert interrupted.stderr.startswith("tunesmith: interrupted; ")
    assert "Traceback" not in interrupted.stderr
    assert CliRunner().invoke(app, [str(word) for word in (*words, tmp_path / "killed")]).exit_code == 0
    assert bytes_of(tmp_path / "killed") == bytes_of(tmp_path / "whole")


@pytest.mark.parametrize("recipe", ["expected-bleu", "online-pro", "online-mira", "mixed-mira"])
def test_online_recipes_learn_features_as_they_become_known(data, tmp_path, recipe):
    """Features of the search get numbers while batches are decoded; any number of threads gives the same bytes."""
    settings = {"rounds": 2, "batch": 4, **({"shards": 2} if recipe == "mixed-mira" else {})}
    if recipe in ("expected-bleu", "online-pro"):
        settings["l1"] = 1e-4
    one = recipes.get(recipe, **settings).fit(opened(data))
    two = recipes.get(recipe, **settings).fit(opened(data), threads=2, output=tmp_path / "run", save_every=1)
    assert one.weights_.array.tobytes() == two.weights_.array.tobytes()
    assert any(name.startswith("target_bigrams:") for name, value in two.weights_.items() if value)
    assert one.history_[2].details["active target_bigrams"] > 0


def test_a_set_of_its_own_chooses_the_epoch_on_the_command_line(data, tmp_path):
    corpus = data / "corpus"
    words = ["tune", "-m", data / "model", "--dev", corpus / "dev.zh", "--refs", corpus / "dev.en.0", "--recipe",
             "expected-bleu", "--rounds", "2", "--k", "5", "-q", "--select", corpus / "test.zh", "--select-refs",
             corpus / "test.en.0", "-o", tmp_path / "run"]  # fmt: skip
    ended = CliRunner().invoke(app, [str(word) for word in words])
    assert ended.exit_code == 0, ended.output
    shown = (tmp_path / "run" / "dev.jsonl").read_text(encoding="utf-8")
    assert read_lines(corpus / "test.zh")[0] in shown  # what chooses is what a report is about


def test_limits_of_the_search_are_those_of_the_run(data, tmp_path):
    """A run with a small search is that of a decoder with the same options, and is not resumed with another."""
    corpus = data / "corpus"
    words = ["tune", "-m", data / "model", "--dev", corpus / "dev.zh", "--refs", corpus / "dev.en.0", "--rounds",
             "1", "--k", "5", "-q", "-o", tmp_path / "run"]  # fmt: skip
    small = CliRunner().invoke(app, [str(word) for word in (*words, "--pop-limit", 2)])
    assert small.exit_code == 0, small.output
    source = KBestSource(load_decoder(data / "model", pop_limit=2), corpus / "dev.zh", corpus / "dev.en.0", k=5)
    expected = recipes.get("mira", rounds=1, k=5).fit(source)
    assert Weights.read(tmp_path / "run" / "weights.tsv") == expected.weights_
    usual = CliRunner().invoke(app, [str(word) for word in words])
    assert (usual.exit_code, "pop" in usual.stderr) == (2, True), usual.output


def test_shares_needs_no_more_than_data(data, tmp_path):
    """All sparse features of the model are grouped, those that the search meets later too, after dense tuning."""
    corpus = data / "corpus"
    words = ["tune", "-m", data / "model", "--recipe", "shares", "--train", corpus / "train.zh", "--train-refs",
             corpus / "train.en", "--dev", corpus / "dev.zh", "--refs", corpus / "dev.en.0", "--rounds", "1",
             "--inner-rounds", "1", "--set", "dense_rounds=1", "--set", "cross_fit=false", "--train-sample", "40",
             "--k", "5", "-q", "-o", tmp_path / "run"]  # fmt: skip
    ended = CliRunner().invoke(app, [str(word) for word in words])
    assert ended.exit_code == 0, ended.output
    learnt = Weights.read(tmp_path / "run" / "rounds" / "01" / "weights.tsv")
    assert "features=id:*+target_bigrams:*" in learnt.signature
    assert {"id", "target_bigrams"} <= {name.partition(":")[0] for name, value in learnt.items() if value}
    before = Weights.read(tmp_path / "run" / "rounds" / "00" / "weights.tsv")
    assert not {"id", "target_bigrams"} & {name.partition(":")[0] for name, value in before.items() if value}
