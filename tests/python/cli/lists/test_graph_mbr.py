"""`tunesmith graphs mbr`: graphs of other toolkits by minimum Bayes risk."""

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


def run(*words):
    ran = CliRunner().invoke(app, ["graphs", "mbr", *map(str, words)])
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
