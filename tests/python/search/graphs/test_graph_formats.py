"""Search graphs of other toolkits: what they say is what we read; bad files are refused with file and line."""

import gzip
import itertools

import numpy as np
import pytest

from tunesmith.errors import ConfigError, FormatError
from tunesmith.search.graphs.formats import read_graphs
from tunesmith.search.graphs.formats.builder import GraphBuilder
from tunesmith.weights import Weights

MOSES = """\
# target ||| features ||| source-covered
4 6
# node 0
1
<s> |||  ||| 0
# node 1
2
[0] tea  ||| lm=-1 tm_1=-0.5  ||| 1
[0] the tea  ||| lm=-1.5 tm_1=-0.25 rare=2  ||| 1
# node 2
2
[1] please  ||| lm=-1 tm_1=0  ||| 2
please [1]  ||| lm=-2 tm_1=0  ||| 2
# node 3
1
[2] </s> |||  ||| 2
"""


def written(folder, text, name="0"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def derivations(found, weights):
    """Text and score of every derivation of each graph, best first."""
    w, unknown = found.features.vector(Weights.from_mapping(weights))
    assert not unknown
    return [
        [
            (each.text(found.words.__getitem__), round(each.score, 6))
            for each in graph.k_best(found.scores(graph, w))
        ]
        for graph in found.graphs
    ]


def test_a_hypergraph_of_moses_has_the_derivations_that_one_reads_in_it(tmp_path):
    found = read_graphs(written(tmp_path, MOSES))
    assert (found.format, list(found.features)) == ("moses-hypergraph", ["lm", "tm_1", "rare"])
    assert derivations(found, {"lm": 1.0, "tm_1": 2.0, "rare": 0.125}) == [
        [("the tea please", -2.75), ("tea please", -3.0), ("please the tea", -3.75), ("please tea", -4.0)]
    ]


def test_folders_gzip_and_our_own_file_hold_the_same_graphs(tmp_path):
    (tmp_path / "in").mkdir()
    for number in (0, 1, 2, 10, *range(3, 10)):
        text = MOSES.replace("please", f"please{number}")
        (tmp_path / f"in/{number}.gz").write_bytes(gzip.compress(text.encode()))
    found = read_graphs(tmp_path / "in")
    one_by_one = read_graphs([tmp_path / f"in/{number}.gz" for number in range(11)])
    found.write(tmp_path / "all.graphs")
    again = read_graphs(tmp_path / "all.graphs")
    weights = {"lm": 1.0, "tm_1": 2.0}
    assert derivations(found, weights) == derivations(one_by_one, weights) == derivations(again, weights)
    assert derivations(found, weights)[10][0][0] == "tea please10"
    (tmp_path / "in/4.gz").unlink()
    with pytest.raises(FormatError, match="has no graph 4, but later ones"):
        read_graphs(tmp_path / "in")


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        ("4 6", "4", 2, "expected the numbers of nodes and of edges, got '4'"),
        ("4 6", "4 7", 16, "the first line says 7 edges, the nodes have 6"),
        ("4 6", "4 5", 15, "node 3 has edge 6 of 5"),
        ("4 6", "3 5", 15, "there is more after the last node"),
        ("4 6", "5 6", 17, "the file ends; expected the number of edges of node 4"),
        ("4 6", f"{10**30} 6", 2, "must be below 10^9"),
        ("[1] please", "[9] please", 12, "[9] is not a node; there are 4, counted from 0"),
        ("[1] please", "[2] please", 12, "node 2 is part of a cycle"),
        ("lm=-1.5", "lm=x", 9, "lm must be a number, got 'x'"),
        ("lm=-1.5", "lm=nan", 9, "must be finite"),
        ("lm=-1.5", "lm=1e39", 9, "must be finite"),
        ("lm=-1.5", "-1.5", 9, "expected name=value, got '-1.5'"),
        ("rare=2  ||| 1", "rare=2", 9, "expected target ||| name=value"),
    ],
)
def test_mistakes_are_named_with_file_and_line(tmp_path, old, new, line, message):
    path = written(tmp_path, MOSES.replace(old, new, 1))
    with pytest.raises(FormatError) as error:
        read_graphs(path)
    assert str(error.value).startswith(f"{path}:{line}: ")
    assert message in str(error.value)


def test_files_that_are_no_graphs_are_refused(tmp_path):
    with pytest.raises(FormatError, match="unrecognised format of search graphs"):
        read_graphs(written(tmp_path, "hello\n"))
    with pytest.raises(FormatError, match="the file is empty"):
        read_graphs(written(tmp_path, ""))
    with pytest.raises(ConfigError, match="Did you mean 'moses-hypergraph'"):
        read_graphs(written(tmp_path, MOSES), "moses-hypergraf")
    (tmp_path / "folder").mkdir()
    with pytest.raises(FormatError, match="is an empty folder"):
        read_graphs(tmp_path / "folder")
    written(tmp_path / "folder", MOSES, "readme")
    with pytest.raises(FormatError, match="has a file 'readme'"):
        read_graphs(tmp_path / "folder")


def test_edges_in_any_order_give_the_same_derivations():
    """Nodes of any numbers; what leads nowhere or comes from nowhere is left out."""
    edges = [(7, [], [0], 1.0), (7, [], [1], 2.0), (3, [7], [-1, 2], 3.0), (5, [3, 7], [-2, 3, -1], 4.0),
             (5, [9], [-1], 100.0), (8, [7], [-1], 100.0)]  # fmt: skip
    random = np.random.default_rng(1)
    seen = set()
    for _ in range(20):
        builder = GraphBuilder("made")
        for at in random.permutation(len(edges)).tolist():
            head, tails, symbols, value = edges[at]
            builder.edge(head, tails, symbols, [0], [value], at + 1)
        graph = builder.build(5)
        found = graph.k_best(graph.edge_scores([0.0], [1.0]))
        seen.add(tuple(sorted((each.score, tuple(each.words.tolist())) for each in found)))
    expected = [
        (4.0 + 3.0 + one + other, (first, 3, second, 2))
        for (first, one), (second, other) in itertools.product([(0, 1.0), (1, 2.0)], repeat=2)
    ]
    assert seen == {tuple(sorted(expected))}
    builder = GraphBuilder("made")
    for line, (head, tails) in enumerate([(0, []), (1, [0]), (2, [1]), (1, [2])], 1):
        builder.edge(head, tails, [-1] * len(tails), [], [], line)
    with pytest.raises(FormatError, match="made:2: node 1 is part of a cycle"):
        builder.build(2)


@pytest.mark.parametrize("kind", ["phrase", "hiero"])
def test_the_best_derivations_of_moses_are_the_best_here(shared, kind):
    """Moses of 2026 (reference/moses-hypergraphs). Values of hiero are rounded; only phrase has its weights."""
    folder = shared / "reference" / "moses-hypergraphs"
    count = 200 if kind == "phrase" else 20
    found = read_graphs([folder / kind / f"{number}.gz" for number in range(0, count, 10)])
    best = gzip.decompress((folder / f"{kind}.best1.gz").read_bytes()).decode().splitlines()[::10]
    if kind == "hiero":
        for graph, text in zip(found.graphs, best, strict=True):
            every = graph.oracle(np.zeros(graph.edges), [text.strip()], found.words.__getitem__)
            assert every.derivations[0].text(found.words.__getitem__) == text.strip()
        return
    given = (line.split("= ") for line in (folder / "phrase.weights").read_text(encoding="utf-8").splitlines())
    weights, unknown = found.features.vector(Weights.from_mapping({name: float(value) for name, value in given}))
    assert not unknown
    for graph, text in zip(found.graphs, best, strict=True):
        derivation = graph.best(found.scores(graph, weights))
        assert derivation.text(found.words.__getitem__) == text.strip()
    lines = gzip.decompress((folder / "search-graph.txt.gz").read_bytes()).decode().splitlines()
    complete = [line for line in lines if line.startswith("0 ") and " forward=-1 " in line]
    score = max(float(line.split(" score=")[1].split()[0]) for line in complete)
    first = found.graphs[0]
    assert first.best(found.scores(first, weights)).score == pytest.approx(score, abs=6e-4)  # three decimals
