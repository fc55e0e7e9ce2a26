"""Minimum Bayes risk in the graphs of both decoders: `translate --mbr` from end to end."""

import numpy as np
import pytest
from support.corpora.tea_corpus import PAIRS, write_pairs
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.decoding import TranslationModel
from tunesmith.decoding.bayes_risk import least_risk
from tunesmith.grammar import ExtractOptions, PhraseOptions, ReorderingOptions
from tunesmith.search.graphs.graph_bayes_risk import GraphBayesRisk
from tunesmith.training.options import TrainingData, TrainOptions
from tunesmith.training.train import train_model

LINES = [*(source for source, _, _ in PAIRS), "ich trinke heute xyz", "", "der tee ist kaffee"]


@pytest.fixture(scope="module", params=["hierarchical", "phrase"])
def folder(request, tmp_path_factory):
    data = tmp_path_factory.mktemp(request.param)
    write_pairs(data)
    options = TrainOptions()
    if request.param == "phrase":
        options = TrainOptions(extract=ExtractOptions(PhraseOptions(), reordering=ReorderingOptions()))
    train_model(TrainingData(data / "f", data / "e", data / "a"), data / "model", options)
    (data / "lines").write_text("\n".join(LINES) + "\n", encoding="utf-8")
    return data


@pytest.fixture
def decoder(folder):
    return TranslationModel.open(folder / "model").decoder()


def test_the_translation_is_a_derivation_of_the_graph_with_all_that_explains_it(decoder):
    risk = GraphBayesRisk(scale=0.5)
    found = list(least_risk(decoder, LINES, risk, threads=2))
    assert len(found) == len(LINES)
    graphs = decoder.stream(LINES, graph=True)
    for chosen, plain in zip(found, graphs, strict=True):
        assert len(chosen) == 1
        scores = plain.graph.edge_scores(plain.local_scores, decoder.weights)
        expected = risk.best(plain.graph, scores)
        best = chosen.best
        words = expected.text(plain.graph.word_of(decoder.table.target_vocabulary, plain.source))
        assert best.text == words
        assert best.score == pytest.approx(float(scores[expected.edges].sum()))
        assert best.score <= plain.best.score + 1e-9
        values = best.feature_values()
        total = sum(decoder.weights[id] * value for id, value in values.items())
        assert total == pytest.approx(best.score, abs=1e-5)
        assert all(target < max(len(words.split()), 1) for _, target in best.alignment)


def test_the_scores_of_edges_are_those_of_the_search(decoder):
    for plain in decoder.stream(LINES, graph=True):
        scores = plain.graph.edge_scores(plain.local_scores, decoder.weights)
        assert plain.graph.best(scores).score == pytest.approx(plain.best.score, abs=1e-5)


def run(folder, *words):
    ran = CliRunner().invoke(app, ["translate", "-m", str(folder / "model"), "-q", str(folder / "lines"), *words])
    return ran.exit_code, ran.stdout, " ".join(ran.output.split())


def test_translate_prints_what_python_gives(folder, decoder):
    code, printed, _ = run(folder, "--mbr", "--mbr-scale", "0.5", "-j", "2")
    assert code == 0
    expected = [each.best.text for each in least_risk(decoder, LINES, GraphBayesRisk(scale=0.5))]
    assert printed.splitlines() == expected
    settings = ["--mbr-evidence", "once", "--mbr-precision", "0.7", "--mbr-ratio", "0.5", "--mbr-density", "20"]
    code, printed, _ = run(folder, "--mbr", *settings)
    risk = GraphBayesRisk(precision=0.7, ratio=0.5, evidence="once", density=20)
    assert (code, printed.splitlines()) == (0, [each.best.text for each in least_risk(decoder, LINES, risk)])
    for more in ("--alignment", "--explain"):
        code, printed, _ = run(folder, "--mbr", more)
        assert code == 0
        assert printed


def test_with_one_derivation_a_line_nothing_changes(folder):
    narrow = ["--pop-limit", "1", "--table-limit", "1", "--mbr-density", "1e-9"]
    assert run(folder, *narrow[:4])[1] == run(folder, "--mbr", *narrow)[1]


def test_what_cannot_be_meant_is_refused(folder):
    for words, message in {
        ("--mbr", "--kbest", "3"): "takes no --kbest",
        ("--mbr-scale", "2"): "belong to --mbr",
        ("--mbr", "--mbr-precision", "0"): "precision must be greater than 0",
    }.items():
        code, _, said = run(folder, *words)
        assert (code, message in said) == (2, True), said


def test_weights_that_are_zero_make_all_derivations_alike(decoder):
    decoder.set_weights(np.zeros(len(decoder.index)))
    [chosen] = least_risk(decoder, LINES[:1], GraphBayesRisk())
    assert chosen.best.score == 0
