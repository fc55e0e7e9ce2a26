"""`tunesmith graphs mbr`, and `tunesmith rerank` of graphs: graphs of other toolkits by minimum Bayes risk."""

import numpy as np
import pytest
from typer.testing import CliRunner

from tunesmith.cli.main import app
from tunesmith.search.graphs.formats import read_graphs
from tunesmith.search.graphs.graph_bayes_risk import GraphBayesRisk
from tunesmith.weights import Weights

# "a b c d" has the highest score, but the others share most of their words.
GRAPH = """\
2 4
1
<s> ||| ||| 0
3
[0] a b c d </s> ||| lm=-1 ||| 1
[0] e f g h </s> ||| lm=-1.1 ||| 1
[0] e f g i </s> ||| lm=-1.2 ||| 1
"""


@pytest.fixture
def data(tmp_path):
    (tmp_path / "g").mkdir()
    (tmp_path / "g/0").write_text(GRAPH, encoding="utf-8")
    (tmp_path / "g/1").write_text("0 0\n", encoding="utf-8")  # nothing was found
    Weights.from_mapping({"lm": 1.0}).write(tmp_path / "w")
    return tmp_path


def run(*words, verb=("graphs", "mbr")):
    ran = CliRunner().invoke(app, [*verb, *map(str, words)])
    return ran.exit_code, " ".join(ran.output.split(" "))


def test_what_most_translations_share_is_printed(data):
    assert run(data / "g", "-W", data / "w") == (0, "e f g h\n\n")
    assert run(data / "g", "-W", data / "w", "--mbr-scale", 100) == (0, "a b c d\n\n")
    assert run(data / "g", "-W", data / "w", "--mbr-evidence", "once", "-o", data / "out") == (0, "")
    assert (data / "out").read_text(encoding="utf-8") == "e f g h\n\n"
    named = read_graphs([data / "g"])
    best = GraphBayesRisk().best(named.graphs[0], named.scores(named.graphs[0], np.ones(1)))
    assert best.text(named.words.__getitem__) == "e f g h"


def test_what_is_missing_is_said(data):
    code, said = run(data / "g")
    assert (code, "give -W FILE" in " ".join(said.split())) == (2, True)
    code, said = run(data / "g", "-W", data / "w", "--mbr-ratio", 0)
    assert (code, "ratio must be greater than 0, got 0" in " ".join(said.split())) == (2, True)


def rerank(*words):
    return run(*words, verb=["rerank"])


def test_rerank_takes_graphs_in_the_place_of_lists(data):
    """By weights or by least risk; also one file, and one of our own format."""
    weighed = ["-W", data / "w"]
    assert rerank(data / "g", *weighed, "-q") == (0, "a b c d\n\n")
    assert rerank(data / "g", *weighed, "--mbr", "bleu") == run(data / "g", *weighed)
    assert rerank(data / "g", *weighed, "--mbr", "bleu", "--scale", 100) == (0, "a b c d\n\n")
    assert rerank(data / "g/0", *weighed, "--mbr", "bleu", "-o", data / "out") == (0, "")
    assert (data / "out").read_text(encoding="utf-8") == "e f g h\n"
    read_graphs([data / "g"]).write(data / "own")
    assert rerank(data / "own", *weighed, "--mbr", "bleu") == (0, "e f g h\n\n")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "give -W FILE"),
        (["-W", "w", "--mbr", "chrf"], "the risk of search graphs is that of bleu, not chrf"),
        (["-W", "w", "--to", "moses", "--k", "5"], "has search graphs, no lists: leave out --to, --k"),
        (["-W", "w", "--mbr", "bleu", "--subwords", "bpe"], "leave out --subwords"),
    ],
)
def test_what_graphs_do_not_have_is_said(data, monkeypatch, words, message):
    monkeypatch.chdir(data)
    code, said = rerank("g", *words)
    assert (code, message in " ".join(said.split())) == (2, True), said


def test_lists_are_lists_even_where_their_name_is_that_of_a_graph(data):
    (data / "0").write_text("0 ||| a b ||| lm= -1 ||| -1\n0 ||| c ||| lm= -2 ||| -2\n", encoding="utf-8")
    assert rerank(data / "0", "-W", data / "w", "-q") == (0, "a b\n")
