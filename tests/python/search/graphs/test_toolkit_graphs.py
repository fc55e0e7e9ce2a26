"""Graphs of other toolkits: the same lattice in every format has the same translations with the same scores."""

import gzip

import pytest
from support.lists.graph_texts import (
    BEST,
    EXTENDED,
    HTK_SLF,
    MOSES_SLF,
    OPENFST,
    PLF,
    SEARCH_GRAPH,
    TEXTS,
    WEIGHTS,
)

from tunesmith.errors import ConfigError, FormatError
from tunesmith.search.graphs.formats import graph_formats, read_graphs
from tunesmith.weights import Weights

EVERY = [(name, number) for name, texts in TEXTS.items() for number in range(len(texts))]
MORE = {"core_1": 1.0, "core_2": 2.0, "acoustic": 1.0, "language": 1.0}


def written(folder, text, name="0"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def derivations(found, weights=WEIGHTS | MORE):
    """Text and score of every derivation of each graph, best first."""
    w, _ = found.features.vector(Weights.from_mapping(weights))
    return [
        [
            (each.text(found.words.__getitem__), round(each.score, 6))
            for each in graph.k_best(found.scores(graph, w))
        ]
        for graph in found.graphs
    ]


def test_every_format_has_its_lattice_here():
    assert set(TEXTS) == set(graph_formats)


@pytest.mark.parametrize(("name", "number"), EVERY)
def test_the_same_lattice_has_the_same_translations_in_every_format(tmp_path, name, number):
    path = written(tmp_path, TEXTS[name][number])
    found = read_graphs(path)
    assert found.format == name
    assert derivations(found) == [BEST]
    assert derivations(read_graphs(path, name)) == [BEST]
    (tmp_path / "again.gz").write_bytes(gzip.compress(path.read_bytes()))
    assert derivations(read_graphs(tmp_path / "again.gz")) == [BEST]


@pytest.mark.parametrize(("name", "number"), EVERY)
def test_a_text_that_is_cut_off_is_refused_or_ends_with_a_whole_lattice(tmp_path, name, number):
    """Formats that say how much there is notice every cut; the others those that leave no path to the end."""
    text = TEXTS[name][number]
    refused = 0
    for size in range(len(text)):
        path = written(tmp_path, text[:size])
        try:
            found = read_graphs(path, name)
        except FormatError as error:
            refused += str(error).startswith(f"{path}")
        else:
            assert all(graph.nodes for graph in found.graphs) or size < 40  # no hypothesis yet
    assert refused > len(text) / 2
    whole = gzip.compress(text.encode())
    (tmp_path / "cut.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(FormatError, match=r"cut\.gz"):
        read_graphs(tmp_path / "cut.gz", name)


def test_search_graphs_of_several_sentences_are_in_one_file(tmp_path):
    second = "".join(f"1{line[1:]}\n" for line in SEARCH_GRAPH.splitlines())
    found = read_graphs(written(tmp_path, SEARCH_GRAPH + second.replace("tea", "milk") + "2 hyp=0 stack=0\n"))
    assert [len(each) for each in derivations(found)] == [4, 4, 0]
    assert derivations(found)[1][0] == ("the milk please", -2.75)


def test_dense_scores_of_extended_search_graphs_get_names(tmp_path):
    names = written(tmp_path, "lm\ntm\n", "names")
    found = read_graphs(written(tmp_path, EXTENDED), f"moses-search-graph:names={names}")
    assert list(found.features) == ["lm", "tm", "rare"]
    assert derivations(found) == [BEST]
    written(tmp_path, "lm\n", "names")
    with pytest.raises(FormatError, match=r":2: there are 2 scores in core=\(…\) and 1 names"):
        read_graphs(tmp_path / "0", f"moses-search-graph:names={names}")


def test_slf_of_moses_has_sums_unless_it_is_said_otherwise(tmp_path):
    """Moses writes the values of the whole hypothesis to the first word of its last phrase."""
    path = written(tmp_path, MOSES_SLF)
    assert derivations(read_graphs(path, "slf:values=sums")) == [BEST]
    [each] = derivations(read_graphs(path, "slf:values=links"))
    assert dict(each)["tea please"] == -2.0 - 3.0  # tea, and both
    shared = MOSES_SLF.replace("E=6 W=now", "E=5 W=now").replace("J=8 S=6 E=8", "J=8 S=5 E=8")
    with pytest.raises(FormatError, match=r":19: .* two paths to node 5 have different ones.*slf:values=links"):
        read_graphs(written(tmp_path, shared))


def test_slf_of_recognisers(tmp_path):
    found = read_graphs(written(tmp_path, HTK_SLF))
    assert list(found.features) == ["acoustic", "language", "words"]
    assert derivations(found, {"words": 1.0})[0][0][1] == 3.0
    in_nodes = (
        HTK_SLF.replace("I=2 t=0.80", 'I=2 t=0.80 W="tea"').replace(" W=tea", "").replace("I=0", "I=0 W=!NULL")
    )
    assert derivations(read_graphs(written(tmp_path, in_nodes))) == [BEST]
    tens = HTK_SLF.replace("VERSION=1.0", "VERSION=1.0\nbase=10")
    [each] = derivations(read_graphs(written(tmp_path, tens)))
    assert each[0][1] == pytest.approx(BEST[0][1] * 2.302585, abs=1e-5)
    odds = "N=2 L=2\nbase=0\nJ=0 S=0 E=1 W=a a=0.25\nJ=1 S=0 E=1 W=b a=0.5\n"
    [each] = derivations(read_graphs(written(tmp_path, odds)))
    assert each == [("b", pytest.approx(-0.693147)), ("a", pytest.approx(-1.386294))]


def test_values_of_plf_are_features_or_probabilities(tmp_path):
    path = written(tmp_path, "((('a',0.5,0.25,1),('b',0.25,1,1)))\n()\n((('c',1,1,1)))\n")
    found = read_graphs(path)
    assert list(found.features) == ["score_1", "score_2"]
    assert derivations(found, {"score_1": 1.0, "score_2": 1.0}) == [[("b", 1.25), ("a", 0.75)], [], [("c", 2.0)]]
    of_logs = derivations(read_graphs(path, "plf:probabilities=yes"), {"score_1": 1.0, "score_2": 1.0})
    assert of_logs[0] == [("b", pytest.approx(-1.386294)), ("a", pytest.approx(-2.079442))]


def test_plf_may_take_several_lines_and_has_no_words_and_quotes(tmp_path):
    text = PLF.replace("(", "(\n ").replace("'now'", r"'no\'w'").replace("'tea',0", "'*EPS*',0")
    [each] = derivations(read_graphs(written(tmp_path, text)))
    assert sorted(text for text, _ in each) == ["tea no'w", "tea please", "the no'w", "the please"]


def test_openfst_with_symbols_and_transducers(tmp_path):
    symbols = written(tmp_path, "<eps> 0\ntea 1\nthe 2\nplease 3\nnow 4\n", "symbols")
    numbered = OPENFST.replace("tea", "1").replace("the", "2").replace("please", "3").replace("now", "4")
    path = written(tmp_path, numbered)
    with pytest.raises(FormatError, match=r"0:1: the labels are numbers.*openfst:symbols=FILE"):
        read_graphs(path)
    assert derivations(read_graphs(path, f"openfst:symbols={symbols}")) == [BEST]
    assert derivations(read_graphs(path, "openfst:symbols=words"))[0][0] == ("2 1 3", -2.75)
    transducer = OPENFST.replace("tea", "cha\ttea").replace("the", "<eps>\tthe").replace("now", "qing\tnow")
    path = written(tmp_path, transducer.replace("please", "qing\tplease"))
    assert derivations(read_graphs(path)) == [BEST]
    ends = OPENFST.replace("\n3\n", "\n3\t0.5\n2\t4\n1\tInfinity\n")  # a final cost, and another end
    [each] = derivations(read_graphs(written(tmp_path, ends)))
    assert each[:2] == [("the tea please", -3.25), ("tea please", -3.5)]
    assert ("tea", -6.0) in each
    assert len(each) == 6


def test_the_text_of_a_search_graph_of_moses_has_its_best_translation(shared, tmp_path):
    folder = shared / "reference" / "moses-hypergraphs"
    lines = gzip.decompress((folder / "search-graph.txt.gz").read_bytes()).decode().splitlines(keepends=True)
    path = written(tmp_path, "".join(line for line in lines if line.startswith("0 ")))  # the rest is cut off
    best = gzip.decompress((folder / "phrase.best1.gz").read_bytes()).decode().splitlines()[0]
    [each] = read_graphs(path).graphs
    found = read_graphs(path)
    w, _ = found.features.vector(Weights.from_mapping({"transition": 1.0}))
    derivation = each.best(found.scores(each, w))
    assert derivation.text(found.words.__getitem__) == best.strip()
    scores = [line.split("score=")[1].split()[0] for line in lines if " forward=-1" in line and line[:2] == "0 "]
    assert derivation.score == pytest.approx(max(map(float, scores)), abs=0.02)  # written with three decimals


def test_unknown_formats_and_settings_are_refused(tmp_path):
    path = written(tmp_path, PLF)
    with pytest.raises(ConfigError, match=r"the format plf has no setting 'symbols'. It has: probabilities"):
        read_graphs(path, "plf:symbols=x")
    with pytest.raises(ConfigError, match=r"values must be one of|auto"):
        read_graphs(path, "slf:values=some")
