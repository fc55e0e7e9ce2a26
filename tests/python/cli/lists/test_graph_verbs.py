"""`tunesmith graphs`: what it prints is what the graphs hold."""

import json
import shutil

import pytest
from support.lists.graph_texts import BEST, TEXTS, WEIGHTS
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.weights import Weights

GRAPH = """\
3 5
1
<s> ||| ||| 0
2
[0] the cat ||| lm=-2 length=2 ||| 1
[0] cat ||| lm=-1 length=1 ||| 1
2
[1] sat down </s> ||| lm=-4.25 length=2 rare=0.1 ||| 2
now sat [1] </s> ||| lm=-4 length=2 ||| 2
"""
# lm + 2 length + 10 rare: 2.75, 2, 1.75, 1
BEST_FIRST = ["the cat sat down", "now sat the cat", "cat sat down", "now sat cat"]


def run(*words, code=0):
    ran = CliRunner().invoke(app, ["graphs", *map(str, words)])
    assert ran.exit_code == code, ran.output
    return ran.output


@pytest.fixture
def data(tmp_path):
    (tmp_path / "g").mkdir()
    (tmp_path / "g/0").write_text(GRAPH, encoding="utf-8")
    (tmp_path / "g/1").write_text("0 0\n", encoding="utf-8")  # nothing was found
    (tmp_path / "w").write_text("lm\t1\nlength\t2\nrare\t10\n", encoding="utf-8")
    (tmp_path / "r").write_text("now sat the cat\nnothing\n", encoding="utf-8")
    return tmp_path


def test_statistics(data):
    found = json.loads(run("stats", data / "g", "-W", data / "w", "--refs", data / "r", "-f", "json"))
    assert {key: found[key] for key in ("sentences", "empty", "nodes", "edges", "largest", "density")} == {
        "sentences": 2, "empty": 1, "nodes": 3, "edges": 5, "largest": 5, "density": 1.0,
    }  # fmt: skip
    assert found["fires"] == {"lm": 0.8, "length": 0.8, "rare": 0.2}
    assert found["median_derivations"] == pytest.approx(0.60206, abs=1e-5)  # 4
    assert found["oracle"] > found["best"]
    assert "5 edges" in run("stats", data / "g")


def test_lists_and_oracles(data):
    lines = run("kbest", data / "g", "-W", data / "w", "--k", 9).splitlines()
    assert [line.split(" ||| ")[1] for line in lines] == BEST_FIRST
    assert lines[0].split(" ||| ")[2].startswith("lm= -6.25 length= 4 rare= 0.1")
    assert run("oracle", data / "g", "--refs", data / "r", "-q") == "now sat the cat\n\n"
    assert run("oracle", data / "g", "--refs", data / "r", "-q", "--worst").split("\n")[0] != "now sat the cat"


@pytest.mark.parametrize("to", ["tunesmith", "moses-hypergraph", "cdec-json"])
def test_converted_graphs_are_the_same_graphs(data, to):
    run("convert", data / "g", "--to", to, "-o", data / "out")
    again = run("kbest", data / "out", "-W", data / "w")
    assert again == run("kbest", data / "g", "-W", data / "w")


def test_lattices_keep_their_features_or_get_scores(data):
    for number, text in enumerate(TEXTS["moses-hypergraph"] + TEXTS["cdec-json"] + TEXTS["plf"][1:]):
        (data / "l").write_text(text, encoding="utf-8")
        Weights.from_mapping(WEIGHTS).write(data / "v")
        found = run("kbest", data / "l", "-W", data / "v", "-q")
        run("convert", data / "l", "--to", "plf", "-o", data / f"{number}.plf")
        again = run("kbest", data / f"{number}.plf", "-W", data / "v", "-q")
        assert {line.split(" ||| ")[1] for line in again.splitlines()} == {text for text, _ in BEST}
        assert [line.split(" ||| ")[-1] for line in again.splitlines()] == [
            line.split(" ||| ")[-1] for line in found.splitlines()
        ]
        for to, name in (("plf", data / f"{number}.scores"), ("openfst", data / f"{number}.fst")):
            run("convert", data / "l", "-W", data / "v", "-q", "--to", to, "-o", name)
            assert run("best", name, "-W", data / "v", "-q") == "the tea please\n"
            assert "score= -2.75" in run("kbest", name, "-W", data / "v", "-q").splitlines()[0]
    assert "a forest has no lattice with features" in run(
        "convert", data / "g", "--to", "plf", "-o", data / "no", code=2
    )
    assert "give weights (-W FILE)" in run("convert", data / "g", "--to", "openfst", "-o", data / "no2", code=2)


def test_the_best_translations_are_lines_and_pieces_are_joined(data):
    assert run("best", data / "g", "-W", data / "w", "-q") == "the cat sat down\n\n"
    (data / "g/0").write_text(GRAPH.replace("the cat", "the c@@ at"), encoding="utf-8")
    assert run("best", data / "g", "-W", data / "w", "-q") == "the cat sat down\n\n"
    assert run("best", data / "g", "-W", data / "w", "--subwords", "none", "-q") == "the c@@ at sat down\n\n"


@pytest.mark.parametrize("by", ["max-marginal", "posterior"])
def test_pruned_graphs_keep_the_best_derivation_and_so_many_edges(data, by):
    run("prune", data / "g", "-W", data / "w", "--edges", 3, "--by", by, "-o", data / "three")
    assert "3 edges" in run("stats", data / "three")
    assert run("kbest", data / "three", "-W", data / "w").count("|||") == 3
    assert run("best", data / "three", "-W", data / "w", "-q") == "the cat sat down\n\n"
    said = run("prune", data / "g", "-W", data / "w", "--refs", data / "r", "--density", 1, "-o", data / "four")
    assert "4 of 5 edges kept" in said  # the reference has four words
    assert "give --refs FILE…" in run("prune", data / "g", "-W", data / "w", "-o", data / "x", code=2)
    assert "give -W FILE" in run("prune", data / "g", "--edges", 3, "-o", data / "x", code=2)
    assert "density must be greater than 0" in run(
        "prune", data / "g", "-W", data / "w", "--refs", data / "r", "--density", 0, "-o", data / "x", code=2
    )


def test_pictures_are_of_the_best_edges(data):
    whole = run("draw", data / "g", "-W", data / "w")
    assert whole.count("shape=box") == 5
    best = run("draw", data / "g", "-W", data / "w", "--edges", 3)
    assert best.count(" -> ") == 3  # what is left is a lattice
    assert "sat down" in best


@pytest.mark.skipif(shutil.which("dot") is None, reason="needs the program dot of Graphviz")
def test_pictures_are_drawn_by_graphviz(data):
    run("draw", data / "g", "-W", data / "w", "-o", data / "0.svg")
    text = (data / "0.svg").read_text(encoding="utf-8")
    assert "</svg>" in text
    assert "sat down" in text


def test_what_cannot_be_meant_is_refused(data):
    assert "give -W FILE" in run("kbest", data / "g", code=2)
    assert "an oracle needs references" in run("oracle", data / "g", code=2)
    assert "--sentence must be below 2" in run("draw", data / "g", "--sentence", 2, code=2)
    (data / "r").write_text("cat\n", encoding="utf-8")
    assert "graphs of 2 sentences and references for 1" in run("stats", data / "g", "--refs", data / "r", code=2)
